package io.despina.spark.executor;

import io.despina.buffer.Budget;
import org.apache.spark.SparkConf;

/** How much of an executor's heap a resource may take for segments, queues and state. */
final class ExecutorMemory {
    private static final long MB = 1 << 20;
    /** What Spark keeps for itself before it divides the rest (its UnifiedMemoryManager). */
    private static final long SPARK_RESERVE = 300 * MB;
    private static final double MEMORY_FRACTION = 0.6;
    private static final double STORAGE_FRACTION = 0.5;
    /** Classes, compiled expressions and collections in flight, as in a JVM of our own. */
    private static final long BESIDES = 64 * MB;
    private static final long STEP = MB;

    private ExecutorMemory() {
    }

    /**
     * The largest budget whose packets, with those that may be beyond it, fit beside what is Spark's: its reserve, and the part
     * of the storage memory that running tasks cannot drive out.
     *
     * @param heap    largest size of the executor's
     * @param threads of the resource
     * @param share   of the executor's cores that are the resource's
     * @return 0 or less if there is no room
     */
    static long budget(SparkConf conf, long heap, int threads, double share) {
        double storage = conf.getDouble("spark.memory.fraction", MEMORY_FRACTION)
                * conf.getDouble("spark.memory.storageFraction", STORAGE_FRACTION);
        double room = (heap - SPARK_RESERVE) * (1 - storage) * share - BESIDES;
        long budget = Math.round(room / STEP) * STEP;
        while (budget > 0 && budget + Budget.beyond(budget, threads) > room) {
            budget -= STEP;
        }
        return budget;
    }
}
