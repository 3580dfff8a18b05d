package io.despina.control.coordinator;

import java.util.Locale;

/** The state of a job. */
enum JobState {
    DEPLOYING, RUNNING, DRAINING, DONE, FAILED, STOPPED,
    /** An attempt has failed, and the next one does not run yet. */
    RESTARTING,
    /** It could not drain in time: packets in flight are lost, and rows that had reached sinks are committed. */
    INCOMPLETE;

    boolean isEnd() {
        return this == DONE || this == FAILED || this == STOPPED || this == INCOMPLETE;
    }

    /** What can be done by whoever tells something to a job that does not run; null for nothing. */
    String hint() {
        return this == DEPLOYING || this == RESTARTING ? "ask again when it runs" : null;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
