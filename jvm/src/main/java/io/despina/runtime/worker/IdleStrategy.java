package io.despina.runtime.worker;

import io.despina.wake.Waker;
import io.despina.wire.IoLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What a worker's thread does when it has no task to run. Only that thread calls it, except {@link #wake}. */
interface IdleStrategy extends Waker {

    /** The calling thread is the worker's. */
    void begin();

    /** Does other pending work, without waiting. */
    void poll();

    /**
     * Waits until woken, or until the time is up.
     *
     * @param nanos   {@link Long#MAX_VALUE}: until woken
     * @param mayWait asked again once a {@link #wake} can no longer be missed
     */
    void await(long nanos, BooleanSupplier mayWait);

    void end();

    /** Serves connections. */
    final class Io implements IdleStrategy {
        private final IoLoop loop;

        Io(IoLoop loop) {
            this.loop = loop;
        }

        @Override
        public void begin() {
            loop.own();
        }

        @Override
        public void poll() {
            loop.poll();
        }

        @Override
        public void await(long nanos, BooleanSupplier mayWait) {
            loop.await(nanos, mayWait);
        }

        @Override
        public void wake() {
            loop.wake();
        }

        @Override
        public void end() {
            loop.close();
        }
    }

    /** Spins briefly, then parks. */
    final class Backoff implements IdleStrategy {
        private static final int SPINS = 200;

        /** Written (volatile) by the thread, read by wakers: whether they must unpark it. */
        private volatile boolean parked;
        /** Written (volatile) once by the thread. */
        private volatile Thread thread;

        @Override
        public void begin() {
            thread = Thread.currentThread();
        }

        @Override
        public void poll() {
        }

        @Override
        public void await(long nanos, BooleanSupplier mayWait) {
            for (int k = 0; k < SPINS; k++) {
                if (!mayWait.getAsBoolean()) {
                    return;
                }
                Thread.onSpinWait();
            }
            parked = true;
            if (mayWait.getAsBoolean()) {
                if (nanos == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, nanos);
                }
                Thread.interrupted();
            }
            parked = false;
        }

        /**
         * The fence orders the read of {@link #parked} after the write to the queue. The thread sets {@code parked} and then
         * reads the queue, so one of the two sees the other.
         */
        @Override
        public void wake() {
            VarHandle.fullFence();
            if (parked) {
                LockSupport.unpark(thread);
            }
        }

        @Override
        public void end() {
            Thread.interrupted();
        }
    }
}
