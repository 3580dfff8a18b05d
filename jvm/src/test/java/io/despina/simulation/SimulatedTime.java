package io.despina.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** A clock that moves when it is told to, what is due by it, and timers over both. One thread. */
final class SimulatedTime {
    private static final long GLANCE_NANOS = 50;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long sequence;
    private long now = 1_000_000;
    private LongConsumer passing = this::advanceTo;

    private record Event(long at, long sequence, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
        }
    }

    /** Every look at the clock takes a moment. */
    long nanos() {
        return now += GLANCE_NANOS;
    }

    long now() {
        return now;
    }

    void advance(long nanos) {
        now += nanos;
    }

    /** What others do while somebody waits in the middle of what it does; usually nothing. @param how is told until when */
    void passing(LongConsumer how) {
        passing = how;
    }

    void advanceTo(long at) {
        now = Math.max(now, at);
    }

    /** @return cancels it */
    Runnable at(long nanos, Runnable what) {
        Event event = new Event(nanos, sequence++, what);
        events.add(event);
        return () -> events.remove(event);
    }

    Runnable after(long nanos, Runnable what) {
        return at(now + nanos, what);
    }

    /** Runs what is due first. @return false if nothing is due */
    boolean runOne() {
        if (events.isEmpty() || events.peek().at() > now) {
            return false;
        }
        events.remove().what().run();
        return true;
    }

    /** When the next is due, or {@link Long#MAX_VALUE}. */
    long next() {
        return events.isEmpty() ? Long.MAX_VALUE : events.peek().at();
    }

    /** Timers of a process over this clock. */
    Timer timer(Consumer<Runnable> process) {
        return new Timer(process);
    }

    /** As much of a timer as the coordinator uses. */
    final class Timer extends AbstractExecutorService implements ScheduledExecutorService {
        private final List<Due<?>> waiting = new ArrayList<>();
        private final Consumer<Runnable> process;
        private boolean shut;

        private Timer(Consumer<Runnable> process) {
            this.process = process;
        }

        /** What is scheduled, once or again and again. */
        private final class Due<V> extends FutureTask<V> implements ScheduledFuture<V> {
            private final long everyNanos;
            private long at;
            private Runnable cancel;

            Due(Callable<V> what, long delayNanos, long everyNanos) {
                super(what);
                this.everyNanos = everyNanos;
                at = now + delayNanos;
                waiting.add(this);
                arm();
            }

            private void arm() {
                cancel = SimulatedTime.this.at(at, () -> process.accept(this::fire));
            }

            /** Who waits for it lets time pass, in which others do nothing: as a process that got all of the machine. */
            @Override
            public V get() throws InterruptedException, ExecutionException {
                if (!isDone()) {
                    passing.accept(at);
                }
                if (!isDone()) {
                    cancel.run();
                    fire();
                }
                return super.get();
            }

            private void fire() {
                if (isDone()) {
                    return;
                }
                if (everyNanos == 0) {
                    waiting.remove(this);
                    run();
                } else if (runAndReset()) {
                    at += everyNanos;
                    arm();
                }
            }

            @Override
            protected void done() {
                waiting.remove(this);
                cancel.run();
            }

            @Override
            public long getDelay(TimeUnit unit) {
                return unit.convert(at - now, TimeUnit.NANOSECONDS);
            }

            @Override
            public int compareTo(Delayed other) {
                return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
            }
        }

        /** How much is scheduled. */
        int size() {
            return waiting.size();
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable what, long delay, TimeUnit unit) {
            return new Due<>(() -> {
                what.run();
                return null;
            }, unit.toNanos(delay), 0);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> what, long delay, TimeUnit unit) {
            return new Due<>(what, unit.toNanos(delay), 0);
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable what, long delay, long period, TimeUnit unit) {
            return new Due<>(() -> {
                what.run();
                return null;
            }, unit.toNanos(delay), unit.toNanos(period));
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable what, long delay, long period, TimeUnit unit) {
            return scheduleAtFixedRate(what, delay, period, unit);
        }

        @Override
        public void execute(Runnable what) {
            schedule(what, 0, TimeUnit.NANOSECONDS);
        }

        @Override
        public List<Runnable> shutdownNow() {
            shut = true;
            List.copyOf(waiting).forEach(due -> due.cancel(false));
            return List.of();
        }

        @Override
        public void shutdown() {
            shut = true;
        }

        @Override
        public boolean isShutdown() {
            return shut;
        }

        @Override
        public boolean isTerminated() {
            return shut && waiting.isEmpty();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return isTerminated();
        }
    }
}
