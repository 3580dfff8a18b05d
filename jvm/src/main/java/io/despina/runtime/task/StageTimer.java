package io.despina.runtime.task;

import io.despina.operator.Operator;

/** The instant at which an operator instance asked to be called. Only the task's thread calls it. */
final class StageTimer {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long NANOS_PER_MICRO = 1_000;

    private final JobParts job;
    private final Operator operator;
    /** Nanoseconds of the job's clock, or {@link #NEVER}. */
    private long at = NEVER;
    /** Whether the operator has more to write before it is done with the last instant. */
    private boolean ringing;

    StageTimer(JobParts job, Operator operator) {
        this.job = job;
        this.operator = operator;
    }

    /** Microseconds since 1970. */
    long wallMicros() {
        return job.wallMicros();
    }

    /** @param micros since 1970; {@link Long#MAX_VALUE} for never */
    void set(long micros) {
        // Instants beyond what the clock can count never come.
        long ahead = micros - job.wallOffset();
        at = micros == NEVER || ahead > NEVER / NANOS_PER_MICRO ? NEVER : ahead * NANOS_PER_MICRO;
    }

    long at() {
        return at;
    }

    boolean isRinging() {
        return ringing;
    }

    boolean isDue(long now) {
        return at <= now;
    }

    /** Calls the operator. If it is not done, it is ringing: call again when there is room. */
    void ring() throws Exception {
        at = ringing ? at : NEVER;      // it may ask for another
        ringing = !operator.timer(wallMicros());
    }
}
