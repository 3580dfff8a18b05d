package io.despina.runtime.worker;

import io.despina.wake.Waker;
import io.despina.wire.IoLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What a worker's thread does when no task of its own wants to run. All but {@link #wake} is called by that thread alone. */
interface IdleStrategy extends Waker {

    /** The calling thread is the worker's. */
    void begin();

    /** Does what else there is to do, without waiting. */
    void poll();

    /**
     * Waits, until woken or for so long.
     *
     * @param nanos   {@link Long#MAX_VALUE}: until woken
     * @param mayWait asked after the point from which {@link #wake} is heard
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

    /** Nothing: spins briefly, then parks. */
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
         * The fence keeps the look at {@link #parked} behind what was queued, as the thread looks at its queue after it set it.
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
