package io.despina.control.coordinator;

import java.util.Locale;

/** How a job stands. */
enum JobState {
    DEPLOYING, RUNNING, DRAINING, DONE, FAILED, STOPPED,
    /** It was to drain and could not in its time: what was in flight is lost, what had come to sinks is committed. */
    INCOMPLETE;

    boolean isEnd() {
        return this == DONE || this == FAILED || this == STOPPED || this == INCOMPLETE;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
