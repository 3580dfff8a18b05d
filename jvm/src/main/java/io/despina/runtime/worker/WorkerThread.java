package io.despina.runtime.worker;

import io.despina.wake.Waker;
import io.despina.wire.IoLoop;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A thread's loop around one worker: cranks it, serves its IO between turns, and waits when there is nothing to do. It parks as
 * long as it has no IO to serve.
 */
final class WorkerThread implements Runnable, Waker {
    /** How often IO is polled while there is work. */
    private static final long POLL_NANOS = 20_000;
    /** Timers that are due within this time of each other fire together, so that a fast source sends more at once. */
    private static final long TICK_NANOS = 150_000;

    private final Worker worker;
    private final LongSupplier clock;
    private final Supplier<IoLoop> loops;
    private final BooleanSupplier mayWait;
    private final long pollNanos;
    /** Written (volatile) once by the loop. */
    private volatile Thread thread;
    /** Written (volatile) by any thread, read by the loop. */
    private volatile boolean stopped;
    /** Guarded by this: null until it is asked for. */
    private IoLoop io;
    /** Changed once, by any thread that asks for the loop; who wakes the thread reads it behind what it is woken for. */
    private volatile IdleStrategy idle = new IdleStrategy.Backoff();

    // the thread's
    /** The one that it has begun. */
    private IdleStrategy begun;

    private long lastPoll;
    private long lastTick;

    /**
     * @param loops     makes what serves its tasks' connections when there is one; gives null if others serve them
     * @param pollNanos how long it looks for work before it sleeps
     */
    WorkerThread(LongSupplier clock, Supplier<IoLoop> loops, long pollNanos) {
        this.clock = clock;
        this.loops = loops;
        this.pollNanos = pollNanos;
        worker = new Worker(this, this::io);
        mayWait = () -> !worker.hasWork() && !stopped && begun == idle;
        lastTick = clock.getAsLong();
        lastPoll = lastTick;
    }

    Worker worker() {
        return worker;
    }

    /** From any thread: what serves its tasks' connections; null if it serves none, or was stopped before it had any. */
    private synchronized IoLoop io() {
        if (io == null && !stopped) {
            io = loops.get();
            if (io != null) {
                IdleStrategy before = idle;
                idle = new IdleStrategy.Io(io);
                before.wake();
            }
        }
        return io;
    }

    @Override
    public void run() {
        IoLoop.serving(this::io, this::loop).run();
    }

    private void loop() {
        thread = Thread.currentThread();
        begin();
        long now = clock.getAsLong();
        while (!stopped) {
            begin();
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
                begun.poll();
                lastPoll = now;
            }
        }
        thread = null;
        begin();
        begun.end();
    }

    private void begin() {
        if (begun != idle) {
            begun = idle;
            begun.begin();
        }
    }

    private void idle(long now) {
        long deadline = worker.nextDeadline();
        long wait = deadline == Long.MAX_VALUE ? deadline : Math.max(deadline, lastTick + TICK_NANOS) - now;
        long left = wait > 0 && pollNanos > 0 ? polled(now, wait) : wait;
        if (left > 0) {
            begun.await(left, mayWait);
        }
    }

    /** Looks for work without sleeping. @return how long is still to be waited; nothing if there is work */
    private long polled(long now, long wait) {
        long until = now + Math.min(wait, pollNanos);
        do {
            begun.poll();
            if (!mayWait.getAsBoolean()) {
                return 0;
            }
            Thread.onSpinWait();
        } while (clock.getAsLong() < until);
        return wait == Long.MAX_VALUE ? wait : wait - Math.min(wait, pollNanos);
    }

    void stop() {
        synchronized (this) {
            stopped = true;
        }
        wake();
    }

    /** From any thread. */
    @Override
    public void wake() {
        idle.wake();
    }

    void interrupt() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
