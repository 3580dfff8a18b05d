package io.despina.spool;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The spools of this process, of all jobs: whoever knows an id may read, on whichever of its threads. Thread-safe.
 */
public final class Spools {
    private static final Map<SpoolId, Spool> HERE = new ConcurrentHashMap<>();

    private Spools() {
    }

    /** A new one, in files that end with this process. */
    public static Spool open(SpoolId id, String name, Spool.Options options) {
        Spool spool = new FileSpool(name, options);
        if (HERE.putIfAbsent(id, spool) != null) {
            throw new IllegalStateException("the rows of " + name + " are spooled already");
        }
        return spool;
    }

    /** One whose log the sink opens. It takes the place of that of an earlier attempt, which has ended. */
    public static KeptSpool keep(SpoolId id, String name, Spool.Options options) {
        KeptSpool spool = new KeptSpool(name, options);
        Spool before = HERE.put(id, spool);
        if (before != null) {
            before.fail("the job goes on as its next attempt");
        }
        return spool;
    }

    /** @return null if it is not in this process, or has been released */
    public static Spool find(SpoolId id) {
        return HERE.get(id);
    }

    /** Gives its files back to the disk; nothing happens if it is not here. */
    public static void release(SpoolId id) throws IOException {
        Spool spool = HERE.remove(id);
        if (spool != null) {
            spool.release();
        }
    }
}
