package io.despina.control.epoch;

import io.despina.snapshot.Manifest;
import java.util.List;

/** How an attempt of a job starts, or why it does not. */
public sealed interface Restore {

    /**
     * Without any state.
     *
     * @param told what the user should hear
     */
    record Fresh(List<String> told) implements Restore {
    }

    /**
     * From an epoch of the folder.
     *
     * @param manifest of that epoch
     * @param replay   whether its commits must be made again, before anything else: some sinks may not have made them
     * @param told     what the user should hear, such as epochs that are lost
     */
    record GoOn(Manifest manifest, boolean replay, List<String> told) implements Restore {
    }

    /**
     * From a savepoint.
     *
     * @param address where it lies
     */
    record FromSavepoint(String address, List<String> told) implements Restore {
    }

    /**
     * Another process runs the job.
     *
     * @param words       who
     * @param againMillis after which time to ask again, if it may have died; 0 if it lives for sure
     */
    record InUse(String words, long againMillis) implements Restore {
    }

    /**
     * It must not start.
     *
     * @param words what was found
     * @param hint  what to do
     */
    record Refused(String words, String hint) implements Restore {
    }
}
