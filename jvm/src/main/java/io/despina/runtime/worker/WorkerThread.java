package io.despina.runtime.worker;

import io.despina.wire.IoLoop;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** A thread's loop around one worker: cranks it, serves its IO between turns, and waits when there is nothing to do. */
final class WorkerThread implements Runnable {
    /** How often IO is polled while there is work. */
    private static final long POLL_NANOS = 20_000;
    /** Timers that are due within this time of each other fire together, so that a fast source sends more at once. */
    private static final long TICK_NANOS = 150_000;

    private final Worker worker;
    private final IdleStrategy idle;
    private final LongSupplier clock;
    private final BooleanSupplier mayWait;
    private final long pollNanos;
    /** Written (volatile) once by the loop. */
    private volatile Thread thread;
    /** Written (volatile) by any thread, read by the loop. */
    private volatile boolean stopped;

    private long lastPoll;
    private long lastTick;

    /**
     * @param io        serves its tasks' connections; null if they have none, or others serve them
     * @param pollNanos how long it looks for work before it sleeps
     */
    WorkerThread(LongSupplier clock, IoLoop io, long pollNanos) {
        this.clock = clock;
        this.pollNanos = pollNanos;
        idle = io == null ? new IdleStrategy.Backoff() : new IdleStrategy.Io(io);
        worker = new Worker(idle, io);
        mayWait = () -> !worker.hasWork() && !stopped;
        lastTick = clock.getAsLong();
        lastPoll = lastTick;
    }

    Worker worker() {
        return worker;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        idle.begin();
        long now = clock.getAsLong();
        while (!stopped) {
            if (now - lastTick >= TICK_NANOS && worker.fire(now)) {
                lastTick = now;
            }
            boolean ran = worker.turn(now);
            if (!ran) {
                idle(now);
            }
            now = clock.getAsLong();
            if (!ran) {
                lastPoll = now;
            } else if (now - lastPoll >= POLL_NANOS) {
                idle.poll();
                lastPoll = now;
            }
        }
        thread = null;
        idle.end();
    }

    private void idle(long now) {
        long deadline = worker.nextDeadline();
        long wait = deadline == Long.MAX_VALUE ? deadline : Math.max(deadline, lastTick + TICK_NANOS) - now;
        long left = wait > 0 && pollNanos > 0 ? polled(now, wait) : wait;
        if (left > 0) {
            idle.await(left, mayWait);
        }
    }

    /** Looks for work without sleeping. @return how long is still to be waited; nothing if there is work */
    private long polled(long now, long wait) {
        long until = now + Math.min(wait, pollNanos);
        do {
            idle.poll();
            if (!mayWait.getAsBoolean()) {
                return 0;
            }
            Thread.onSpinWait();
        } while (clock.getAsLong() < until);
        return wait == Long.MAX_VALUE ? wait : wait - Math.min(wait, pollNanos);
    }

    void stop() {
        stopped = true;
        idle.wake();
    }

    void interrupt() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
