package io.despina.simulation;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Runs seeds on all cores, or the one that {@code -Ddespina.seed} names. */
final class Seeds {
    /** Set to replay one seed. */
    static final Long REPLAY = Long.getLong("despina.seed");

    /** What is done with a seed. */
    @FunctionalInterface
    interface Body {
        void run(long seed) throws Exception;
    }

    private Seeds() {
    }

    /** How many seeds to run: what {@code -Ddespina.seeds} says, or {@code usually}. */
    static int count(int usually) {
        return Integer.getInteger("despina.seeds", usually);
    }

    /** The same where more of them find more: {@code DESPINA_EVERY_CASE=1} runs {@code every}. */
    static int count(int usually, int every) {
        return count(System.getenv("DESPINA_EVERY_CASE") == null ? usually : every);
    }

    /** Runs seeds from 0 on, until one fails. */
    static void each(int count, Body body) throws Exception {
        if (REPLAY != null) {
            body.run(REPLAY);
            return;
        }
        AtomicLong next = new AtomicLong();
        AtomicBoolean failed = new AtomicBoolean();
        int threads = Math.min(Runtime.getRuntime().availableProcessors(), Math.max(count, 1));
        ExecutorService all = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Object>> parts = all.invokeAll(IntStream.range(0, threads)
                    .mapToObj(k -> (java.util.concurrent.Callable<Object>) () -> {
                        for (long seed; !failed.get() && (seed = next.getAndIncrement()) < count;) {
                            run(body, seed, failed);
                        }
                        return null;
                    }).toList());
            for (Future<Object> part : parts) {
                part.get();
            }
        } finally {
            all.shutdownNow();
        }
    }

    private static void run(Body body, long seed, AtomicBoolean failed) throws Exception {
        try {
            body.run(seed);
        } catch (Throwable e) {
            failed.set(true);
            throw e;
        }
    }
}
