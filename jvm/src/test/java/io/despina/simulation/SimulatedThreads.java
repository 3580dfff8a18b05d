package io.despina.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;

/**
 * Threads of simulated processes, of which one runs at a time: whoever waits in the middle of what it does lets the others go on,
 * and goes on itself when it is told to. What happens is as sure as in one thread.
 */
final class SimulatedThreads {
    private final Deque<Fiber> idle = new ArrayDeque<>();
    /** The one that runs; null outside of all. */
    private Fiber current;
    private int busy;

    /** One of them. */
    final class Fiber {
        private final Semaphore turn = new Semaphore(0);
        private final Semaphore back = new Semaphore(0);
        private Runnable what;
        private Throwable failure;

        private Fiber() {
            Thread thread = new Thread(this::work, "simulated");
            thread.setDaemon(true);
            thread.start();
        }

        private void work() {
            while (true) {
                turn.acquireUninterruptibly();
                if (what == null) {
                    return;
                }
                try {
                    what.run();
                } catch (Throwable thrown) {
                    failure = thrown;
                }
                busy--;
                idle.push(this);
                back.release();
            }
        }

        /** Goes on until it waits again or is done. */
        void goOn() {
            Fiber before = current;
            current = this;
            turn.release();
            back.acquireUninterruptibly();
            current = before;
            Throwable thrown = failure;
            failure = null;
            if (thrown instanceof RuntimeException problem) {
                throw problem;
            }
            if (thrown instanceof Error problem) {
                throw problem;
            }
        }
    }

    /** Does something until it is done or waits. */
    void run(Runnable what) {
        Fiber fiber = idle.isEmpty() ? new Fiber() : idle.pop();
        busy++;
        fiber.what = what;
        fiber.goOn();
    }

    /** The one that runs; null if none does. */
    Fiber current() {
        return current;
    }

    /** Waits until somebody lets the current one go on. */
    void await() {
        Fiber mine = current;
        mine.back.release();
        mine.turn.acquireUninterruptibly();
    }

    /** Whether all have done what they had to do. */
    boolean areIdle() {
        return busy == 0;
    }

    /** All that are idle end. */
    void close() {
        for (Fiber each : idle) {
            each.what = null;
            each.turn.release();
        }
        idle.clear();
    }
}
