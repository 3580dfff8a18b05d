package io.despina.control;

import java.util.Locale;

/** How a job stands. */
enum JobState {
    DEPLOYING, RUNNING, DRAINING, DONE, FAILED, STOPPED;

    boolean isEnd() {
        return this == DONE || this == FAILED || this == STOPPED;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
