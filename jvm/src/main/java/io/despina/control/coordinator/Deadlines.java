package io.despina.control.coordinator;

import static io.despina.spec.Never.NEVER;

import io.despina.control.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Actions that a job takes after a time, unless it has ended. Guarded by the lock of its {@link JobAttempt}. */
final class Deadlines {
    /** How long members may take to end after a failure, before the job ends without them. */
    static final long END_MILLIS = 5_000;
    /** The same of an attempt that another one replaces: what does not end is left behind, and its number fences it. */
    static final long REPLACED_END_MILLIS = 1_000;
    /** The same after a drain, when sinks make their files durable. */
    static final long SETTLE_MILLIS = 20_000;
    /** How long members may take to commit and to finish. */
    static final long COMMIT_MILLIS = 60_000;
    private static final long LET_GO_MILLIS = 500;
    /** How long to wait for a better reason for a broken channel. */
    static final long SUSPICION_MILLIS = 250;

    private final ScheduledExecutorService timer;
    private final List<Future<?>> pending = new ArrayList<>();

    Deadlines(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /** How long a job that is stopped in its last epoch may take to end well, when programs let its rows go. */
    static long letGoMillis(String mode) {
        return mode.equals(Message.Stop.NOW) ? LET_GO_MILLIS : NEVER;
    }

    /** @param millis 0 for no action */
    void addIfAny(Runnable action, long millis) {
        add(action, millis > 0 ? millis : NEVER);
    }

    /** @param millis {@code NEVER} for no action */
    void add(Runnable action, long millis) {
        if (millis != NEVER) {
            pending.add(timer.schedule(action, millis, TimeUnit.MILLISECONDS));
        }
    }

    /** Cancels all: until an action runs, it holds the job in memory. */
    void cancel() {
        pending.forEach(one -> one.cancel(false));
        pending.clear();
    }
}
