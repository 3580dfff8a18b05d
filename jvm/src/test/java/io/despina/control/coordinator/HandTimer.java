package io.despina.control.coordinator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Keeps what is to be done later, for a test to do, and its time. */
final class HandTimer extends ScheduledThreadPoolExecutor {
    /** In their order. */
    private final List<Due> waiting = new ArrayList<>();
    private long millis = 1_000_000;

    HandTimer() {
        super(0);
    }

    private final class Due extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long at;

        Due(Runnable what, long at) {
            super(what, null);
            this.at = at;
        }

        @Override
        protected void done() {
            waiting.remove(this);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - millis, TimeUnit.MILLISECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.MILLISECONDS), other.getDelay(TimeUnit.MILLISECONDS));
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable what, long delay, TimeUnit unit) {
        Due due = new Due(what, millis + unit.toMillis(delay));
        waiting.add(due);
        return due;
    }

    long millis() {
        return millis;
    }

    void later(long more) {
        millis += more;
    }

    int waiting() {
        return waiting.size();
    }

    /** In how many milliseconds the next is due. */
    long nextDelay() {
        return next().getDelay(TimeUnit.MILLISECONDS);
    }

    /** Waits until the next is due, and runs it. */
    void runNext() {
        Due next = next();
        millis = Math.max(millis, next.at);
        next.run();
    }

    /** So much time passes, in which all that is due is run. */
    void pass(long more) {
        long until = millis + more;
        while (!waiting.isEmpty() && next().at <= until) {
            runNext();
        }
        millis = until;
    }

    private Due next() {
        return waiting.stream().min(Comparator.comparingLong(due -> due.at)).orElseThrow();
    }
}
