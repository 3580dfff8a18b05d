package io.despina.control.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Actions that a job takes after a time, unless it has ended. Guarded by the lock of its {@link JobAttempt}. */
final class Deadlines {
    private final ScheduledExecutorService timer;
    private final List<Future<?>> pending = new ArrayList<>();

    Deadlines(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    void add(Runnable action, long millis) {
        pending.add(timer.schedule(action, millis, TimeUnit.MILLISECONDS));
    }

    /** Cancels all: until an action runs, it holds the job in memory. */
    void cancel() {
        pending.forEach(one -> one.cancel(false));
        pending.clear();
    }
}
