package io.despina.simulation;

import io.despina.simulation.disk.SimulatedDisk;
import io.despina.simulation.disk.SimulatedDisk.Operation;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * What may happen to a process as it uses a disk: the disk is full for a while, forcing fails or is a lie, or the process dies
 * right before the operation. One thread.
 */
final class DiskTroubles {
    private static final long LONG_FULL = 4_000 * EpochWorld.MILLI;
    private static final int DEATH_ONE_IN = 12;
    /** Of what a process seldom does. */
    private static final int SELDOM_ONE_IN = 2;
    private static final int TROUBLE_ONE_IN = 40;
    private static final int LIE_ONE_IN = 20;
    private static final int NAME_ONE_IN = 40;
    /** At files of which an epoch has one. */
    private static final int RARE_FILE_ONE_IN = 8;
    private static final Pattern COLLECTED = Pattern.compile("/data/|/epochs/\\d");
    private static final Pattern NAMES = Pattern.compile("/(attempts|epochs|data)(/|$)");

    private final SimulatedDisk disk;
    private final SimulatedTime time;
    private final Mark.Swarm swarm;
    private final Consumer<String> trace;
    private boolean lied;

    /** @param trace hears what happens */
    DiskTroubles(SimulatedDisk disk, SimulatedTime time, Mark.Swarm swarm, Consumer<String> trace) {
        this.disk = disk;
        this.time = time;
        this.swarm = swarm;
        this.trace = trace;
    }

    /** Whether the disk has not done what it said. */
    boolean hasLied() {
        return lied;
    }

    /** By which fault a coordinator may die before an operation, or null. */
    static Mark deathOfCoordinator(Operation operation, String path) {
        boolean creates = operation == Operation.LINK || operation == Operation.WRITE;
        if (!creates && operation != Operation.DELETE && operation != Operation.FORCE_FOLDER) {
            return null;
        }
        if (operation == Operation.DELETE && COLLECTED.matcher(path).find()) {
            return Mark.COORDINATOR_KILLED_IN_COLLECTION;
        }
        if (path.contains("/attempts")) {
            return operation == Operation.FORCE_FOLDER ? Mark.COORDINATOR_KILLED_AFTER_CLAIM
                    : creates ? Mark.COORDINATOR_KILLED_BEFORE_CLAIM : null;
        }
        if (path.contains("manifest")) {
            return creates ? Mark.COORDINATOR_KILLED_BEFORE_MANIFEST
                    : operation == Operation.DELETE ? Mark.COORDINATOR_KILLED_AFTER_MANIFEST : null;
        }
        return path.contains("committed") && creates ? Mark.COORDINATOR_KILLED_BEFORE_COMMITTED : null;
    }

    /** The same of a resource. */
    static Mark deathOfResource(Operation operation, String path) {
        if (!path.contains("/data")) {
            return null;
        }
        return switch (operation) {
            case OPEN -> Mark.RESOURCE_KILLED_IN_RESTORE;
            case FORCE_FOLDER -> Mark.RESOURCE_KILLED_AFTER_FILE;
            case LIST -> null;
            default -> Mark.RESOURCE_KILLED_BETWEEN_FREEZE_AND_FILE;
        };
    }

    /** @param kill ends the process whose call it is */
    void death(Mark mark, Operation operation, String path, Runnable kill) throws IOException {
        int oneIn = mark == Mark.COORDINATOR_KILLED_IN_COLLECTION ? SELDOM_ONE_IN
                : mark == Mark.COORDINATOR_KILLED_BEFORE_COMMITTED ? RARE_FILE_ONE_IN : DEATH_ONE_IN;
        if (mark != null && swarm.strikes(mark, oneIn)) {
            trace.accept("meets " + mark + " at " + operation + " of " + path);
            kill.run();
            throw dead();
        }
    }

    static IOException dead() {
        return new IOException("its process was killed");
    }

    /** What may be wrong with the disk itself. */
    void trouble(Operation operation, String path) throws IOException {
        Mark full = full(path);
        if (operation == Operation.WRITE && swarm.strikes(full, full == Mark.MANIFEST_DISK_FULL
                || full == Mark.COMMITTED_DISK_FULL ? RARE_FILE_ONE_IN : TROUBLE_ONE_IN)) {
            trace.accept("finds the disk full at " + path);
            forAWhile(SimulatedDisk.Trouble.FULL, swarm.random().nextInt(3) > 0 ? 0 : LONG_FULL);
            throw new IOException("No space left on device");
        }
        if (operation == Operation.OPEN && path.contains("/state/") && swarm.strikes(Mark.READ_FAILED, TROUBLE_ONE_IN)) {
            trace.accept("cannot read " + path);
            throw new IOException("Input/output error");
        }
        boolean forces = operation == Operation.FORCE || operation == Operation.FORCE_FOLDER;
        boolean manifest = path.contains("manifest");
        if (forces && swarm.strikes(manifest ? Mark.MANIFEST_NOT_FORCED : Mark.FORCE_FAILED,
                manifest ? RARE_FILE_ONE_IN : TROUBLE_ONE_IN)) {
            trace.accept("cannot force " + path);
            forAWhile(SimulatedDisk.Trouble.FORCE_FAILS, 0);
        }
        Mark lie = operation == Operation.FORCE ? Mark.LOST_FSYNC : Mark.LOST_NAME;
        if (forces && path.contains("/data/") && swarm.strikes(lie, LIE_ONE_IN)) {
            trace.accept("forces " + path + " in vain");
            lied = true;
            forAWhile(SimulatedDisk.Trouble.FORCE_LIES, 0);
        }
    }

    /** Whose file it is that finds no room. */
    private static Mark full(String path) {
        if (path.endsWith(".seg") || path.endsWith(".open")) {
            return Mark.LOG_DISK_FULL;
        }
        return path.contains("/attempts/") ? Mark.CLAIM_DISK_FULL : path.contains("manifest") ? Mark.MANIFEST_DISK_FULL
                : path.contains("committed") ? Mark.COMMITTED_DISK_FULL : Mark.STATE_DISK_FULL;
    }

    /**
     * The power may fail when a file has its name, and the folder that has the name is not forced yet.
     *
     * @param fails ends all processes, and makes the disk lose what it may
     */
    void powerFailureBeforeName(Operation operation, String path, Runnable fails) throws IOException {
        if (operation == Operation.FORCE_FOLDER && NAMES.matcher(path).find()
                && swarm.strikes(Mark.POWER_FAILURE_BEFORE_NAME, NAME_ONE_IN)) {
            trace.accept("sees the power fail before the names in " + path + " are forced");
            fails.run();
            throw dead();
        }
    }

    private void forAWhile(SimulatedDisk.Trouble trouble, long nanos) {
        disk.trouble(trouble, true);
        time.after(nanos, () -> disk.trouble(trouble, false));
    }

    /** All processes are dead, and the disk loses what was not forced. */
    void powerFailure() {
        disk.powerFailure(swarm.random());
        if (disk.tears() > 0) {
            swarm.met(Mark.TORN_WRITE);
        }
    }
}
