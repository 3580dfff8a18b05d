package io.despina.runtime.task;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Operator;

/**
 * When an operator instance is called next: at the instant that it asked for, or as soon as it is woken. Only the task's thread
 * calls it, but for {@link #wake}.
 */
final class StageTimer {
    private static final long NANOS_PER_MICRO = 1_000;

    private final JobParts job;
    private Operator operator;
    /** Nanoseconds of the job's clock, or {@code NEVER}. */
    private long at = NEVER;
    /** Whether the operator has more to write before it is done with the last instant. */
    private boolean ringing;
    /** Any thread sets it, the task's thread clears it. */
    private volatile boolean woken;

    StageTimer(JobParts job, Operator operator) {
        this.job = job;
        this.operator = operator;
    }

    /** A fresh operator is in the place of the old one, and has asked for nothing. */
    void renew(Operator fresh) {
        operator = fresh;
        at = NEVER;
        ringing = false;
        woken = false;
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

    /** The operator is due now. The task must be woken afterwards. */
    void wake() {
        woken = true;
    }

    long at() {
        return woken ? Long.MIN_VALUE : at;
    }

    boolean isRinging() {
        return ringing;
    }

    boolean isDue(long now) {
        return at() <= now;
    }

    /** Calls the operator. If it is not done, it is ringing: call again when there is room. */
    void ring() throws Exception {
        if (woken) {
            woken = false;              // before the call: who wakes it meanwhile is heard
        } else {
            at = ringing ? at : NEVER;  // it may ask for another
        }
        ringing = !operator.timer(wallMicros());
    }
}
