package io.despina.delta;

import io.delta.kernel.exceptions.ConcurrentWriteException;
import io.delta.kernel.exceptions.InvalidTableException;
import io.delta.kernel.exceptions.KernelEngineException;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.exceptions.TableAlreadyExistsException;
import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.util.Set;

/** What goes wrong, in words. */
final class Words {
    /**
     * What another try does not mend: a bucket that is not there, a scheme whose jar is missing (`DESPINA_JARS`), and rights of
     * HDFS that are missing.
     */
    private static final Set<String> LASTING = Set.of("UnknownStoreException", "UnsupportedFileSystemException",
            "AccessControlException");

    private Words() {
    }

    /** Something that Delta's kernel could not do. */
    static IOException of(String path, Exception why) {
        String table = "`path` " + path + ": ";
        for (Throwable each = why; each != null; each = each.getCause()) {
            if (each instanceof RefusedException refused) {
                return refused;
            }
            if (each instanceof AccessDeniedException || LASTING.contains(each.getClass().getSimpleName())) {
                return new RefusedException(table + each.getMessage(), why);
            }
        }
        if (why instanceof ConcurrentWriteException || why instanceof TableAlreadyExistsException) {
            return new LostException(table + "others write to the table too: " + deepest(why), why);
        }
        // a list of files that was read while others wrote may lack one of theirs, and have the next
        if (why instanceof IOException || why instanceof KernelEngineException || why instanceof UncheckedIOException
                || why instanceof InvalidTableException) {
            return new LostException(table + deepest(why), why);
        }
        if (why instanceof KernelException) {
            return new RefusedException(table + "Delta's kernel does not do it: " + why.getMessage(), why);
        }
        return new RefusedException(table + why, why);
    }

    private static String deepest(Throwable why) {
        return why.getCause() == null ? String.valueOf(why.getMessage()) : deepest(why.getCause());
    }
}
