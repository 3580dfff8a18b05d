package io.despina.log;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that write and force logs, so that no other thread waits for a disk. */
public interface LogThreads {
    /** Of this process. */
    LogThreads SHARED = new Daemons();

    /** Runs it soon. */
    void execute(Runnable work);

    void after(long nanos, Runnable work);

    /** A clock that never goes back. */
    long nanoTime();

    /** Daemon threads that come with the first log. */
    final class Daemons implements LogThreads {
        private static final int THREADS = 4;
        private static final AtomicInteger NUMBER = new AtomicInteger();
        private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(THREADS, work -> {
            Thread thread = new Thread(work, "despina-log-" + NUMBER.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });

        private Daemons() {
        }

        @Override
        public void execute(Runnable work) {
            threads.execute(work);
        }

        @Override
        public void after(long nanos, Runnable work) {
            threads.schedule(work, nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }
    }
}
