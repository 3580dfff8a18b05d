package io.despina.control.coordinator;

import io.despina.control.members.Environment;
import java.util.concurrent.TimeUnit;

/** When an attempt began, what is measured of it, and its end; in nanoseconds. Guarded by its {@link JobAttempt}. */
final class AttemptTimes {
    private final long started;
    private long measuredFrom;
    private long end;

    /** @param startedAtMillis by the wall clock: when its command began */
    AttemptTimes(Environment environment, long startedAtMillis) {
        started = environment.clock().getAsLong()
                - TimeUnit.MILLISECONDS.toNanos(environment.wall().getAsLong() - startedAtMillis);
    }

    /** From now on it is measured. */
    void measure(long now) {
        measuredFrom = now;
    }

    boolean isMeasured() {
        return measuredFrom != 0;
    }

    void end(long now) {
        end = now;
    }

    /** Up to its end, or to now. */
    JobStatus.Times until(long now) {
        long last = end == 0 ? now : end;
        return new JobStatus.Times(last - started, last - (measuredFrom == 0 ? last : measuredFrom));
    }
}
