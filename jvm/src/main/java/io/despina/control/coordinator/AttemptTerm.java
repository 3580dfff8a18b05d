package io.despina.control.coordinator;

import io.despina.control.assembly.JobOptions;

/**
 * For how long an attempt runs, and how it ends.
 *
 * @param isReplaced     whether another attempt follows if it fails
 * @param durationMillis 0 for no end
 * @param warmUpMillis   0 for none
 */
record AttemptTerm(boolean isReplaced, long durationMillis, long warmUpMillis) {

    /** Of a job that is not restarted. */
    static AttemptTerm of(JobOptions options) {
        return new AttemptTerm(false, options.durationMillis(), options.warmUpMillis());
    }
}
