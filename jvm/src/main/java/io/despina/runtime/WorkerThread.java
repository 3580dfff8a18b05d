package io.despina.runtime;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** A thread's loop around one worker: cranks it, spins briefly when there is nothing to do, then parks. */
final class WorkerThread implements Runnable {
    private static final int SPINS = 200;

    private final Worker worker = new Worker(this::alarm);
    private final LongSupplier clock;
    /** Written (volatile) by the loop, read by wakers: whether they must unpark it. */
    private volatile boolean parked;
    /** Written (volatile) once by the loop. */
    private volatile Thread thread;
    /** Written (volatile) by any thread, read by the loop. */
    private volatile boolean stopped;

    WorkerThread(LongSupplier clock) {
        this.clock = clock;
    }

    Worker worker() {
        return worker;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        while (!stopped) {
            if (!worker.crank(clock.getAsLong())) {
                idle();
            }
        }
        thread = null;
        Thread.interrupted();
    }

    private void idle() {
        for (int k = 0; k < SPINS; k++) {
            if (worker.hasWork() || stopped) {
                return;
            }
            Thread.onSpinWait();
        }
        parked = true;
        if (!worker.hasWork() && !stopped) {
            long deadline = worker.nextDeadline();
            if (deadline == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, deadline - clock.getAsLong());
            }
            Thread.interrupted();
        }
        parked = false;
    }

    /** The fence keeps the look at {@link #parked} behind what was queued, as the loop looks at its queue after it set it. */
    private void alarm() {
        VarHandle.fullFence();
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    void stop() {
        stopped = true;
        alarm();
    }

    void interrupt() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
