package io.despina.runtime.worker;

import io.despina.runtime.deployment.TaskSpec;
import io.despina.spec.Blocking;
import io.despina.wake.SharedThreads;
import io.despina.wire.IoLoop;
import io.despina.wire.Wire;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Workers with threads: a fixed pool, and a cached pool for tasks that block or are being opened. */
public final class ThreadWorkers implements Workers {
    private static final long KEEP_IDLE_S = 10;

    private final LongSupplier clock;
    private final List<WorkerThread> pool;
    /** Guarded by this: tasks per worker. */
    private final Map<Worker, Integer> hosted = new LinkedHashMap<>();
    /** Guarded by this. */
    private final Map<Worker, WorkerThread> blocking = new HashMap<>();
    private final ExecutorService cached = new ThreadPoolExecutor(0, Integer.MAX_VALUE, KEEP_IDLE_S, TimeUnit.SECONDS,
            new SynchronousQueue<>(), loop -> daemon(loop, "despina-blocking"));

    /**
     * @param wire whose connections the pool's threads serve, unless {@code options} has other threads for them, which then serve
     *             the processes of functions too; null if no other resource is to be reached
     */
    public ThreadWorkers(WorkerOptions options, Wire wire, LongSupplier clock) {
        this.clock = clock;
        Supplier<IoLoop> loops = options.ioThreads() > 0 ? () -> null : wire == null ? IoLoop::ofThisMachine : wire::loop;
        pool = IntStream.range(0, options.count())
                .mapToObj(k -> new WorkerThread(clock, loops, options.pollNanos())).toList();
        for (int k = 0; k < pool.size(); k++) {
            int number = k;
            WorkerThread worker = pool.get(k);
            hosted.put(worker.worker(), 0);
            daemon(() -> {
                options.begun().accept(number);
                worker.run();
            }, SharedThreads.NAME + k).start();
        }
    }

    private static Thread daemon(Runnable loop, String name) {
        Thread thread = IoLoop.thread(loop, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public synchronized Worker assign(String jobId, TaskSpec task) {
        if (task.blocking() == Blocking.ALWAYS) {
            return dedicated(jobId, task);
        }
        Worker least = null;
        for (Map.Entry<Worker, Integer> entry : hosted.entrySet()) {
            if (least == null || entry.getValue() < hosted.get(least)) {
                least = entry.getKey();
            }
        }
        hosted.merge(least, 1, Integer::sum);
        return least;
    }

    @Override
    public synchronized Worker dedicated(String jobId, TaskSpec task) {
        WorkerThread own = new WorkerThread(clock, () -> null, 0);
        cached.execute(() -> named(name(jobId, task), own));
        blocking.put(own.worker(), own);
        return own.worker();
    }

    @Override
    public Future<?> runBlocking(String jobId, TaskSpec task, Runnable work) {
        Interruptible running = new Interruptible(() -> named(name(jobId, task), work));
        cached.execute(running);
        return running;
    }

    /**
     * To cancel it interrupts its thread and waits a moment for the call to return. Most calls return at once, for example one
     * that waits for a lock, and so end before their job does. Only a call that does not respond outlives the job.
     */
    private static final class Interruptible extends FutureTask<Void> {
        private static final long MOMENT_MS = 500;

        private final CountDownLatch returned = new CountDownLatch(1);

        Interruptible(Runnable work) {
            super(work, null);
        }

        @Override
        public void run() {
            try {
                super.run();
            } finally {
                returned.countDown();
            }
        }

        @Override
        public boolean cancel(boolean interrupts) {
            boolean cancelled = super.cancel(interrupts);
            try {
                returned.await(MOMENT_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return cancelled;
        }
    }

    private static String name(String jobId, TaskSpec task) {
        return "despina-blocking-" + jobId + "-" + task.id();
    }

    private static void named(String name, Runnable loop) {
        Thread thread = Thread.currentThread();
        String before = thread.getName();
        thread.setName(name);
        try {
            loop.run();
        } finally {
            thread.setName(before);
        }
    }

    @Override
    public UnaryOperator<Worker> rotation(TaskSpec task) {
        if (task.settings().batchScheduling()) {
            return UnaryOperator.identity();
        }
        List<Worker> workers = pool.stream().map(WorkerThread::worker).toList();
        return home -> workers.contains(home) ? workers.get((workers.indexOf(home) + 1) % workers.size()) : home;
    }

    @Override
    public Worker any() {
        return pool.get(0).worker();
    }

    @Override
    public synchronized void interrupt(Worker home) {
        WorkerThread thread = blocking.get(home);
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public synchronized void release(Worker home) {
        WorkerThread own = blocking.remove(home);
        if (own != null) {
            own.stop();
        } else {
            hosted.computeIfPresent(home, (worker, tasks) -> tasks - 1);
        }
    }

    @Override
    public synchronized void close() {
        pool.forEach(WorkerThread::stop);
        blocking.values().forEach(WorkerThread::stop);
        cached.shutdown();
    }
}
