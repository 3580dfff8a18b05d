package io.despina.control.coordinator;

import java.util.List;

/**
 * What a user may know of the epochs of a job that keeps its state.
 *
 * @param folder       that keeps it
 * @param restoredFrom the epoch from which this attempt goes on; 0 if it began anew
 * @param complete     the last complete epoch; 0 for none
 * @param last         of the last epoch that this attempt has completed
 * @param ageMillis    since that, or since the attempt began to run
 * @param dropped      how many of this attempt were dropped
 * @param trouble      of now
 * @param warnings     all that was to be told so far, the oldest first
 */
record EpochStatus(String folder, long restoredFrom, long complete, Cost last, long ageMillis, long dropped, Trouble trouble,
        List<String> warnings) {

    /**
     * @param millis from the barrier to the manifest
     * @param bytes  that were written
     */
    record Cost(long millis, long bytes) {
        static final Cost NONE = new Cost(0, 0);
    }

    /**
     * @param droppedInRow epochs since the last complete one
     * @param why          they were dropped, or what they wait for; empty for neither
     * @param stale        whether the state is too old
     */
    record Trouble(int droppedInRow, String why, boolean stale) {
    }
}
