package io.despina.spark.executor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class ExecutorMemoryTest {
    private static final long MB = 1 << 20;
    private final SparkConf conf = new SparkConf(false);

    @Test
    void sparksPartIsLeftToIt() {
        long heap = 1024 * MB;
        long budget = ExecutorMemory.budget(conf, heap, 1, 1);
        long storage = Math.round((heap - 300 * MB) * 0.3);
        assertTrue(budget + Budget.beyond(budget, 1) + 300 * MB + storage <= heap, budget + " is too much");
        assertTrue(budget > 200 * MB, budget + " wastes the heap");
    }

    @Test
    void storageThatTheUserSetsIsLeftToo() {
        long usual = ExecutorMemory.budget(conf, 4096 * MB, 2, 1);
        long little = ExecutorMemory.budget(new SparkConf(false).set("spark.memory.storageFraction", "0.9"), 4096 * MB, 2, 1);
        assertTrue(little < usual, little + " of " + usual);
    }

    @Test
    void resourcesShareAnExecutorByItsCores() {
        long whole = ExecutorMemory.budget(conf, 4096 * MB, 4, 1);
        long half = ExecutorMemory.budget(conf, 4096 * MB, 2, 0.5);
        assertTrue(2 * half <= whole, half + " twice, of " + whole);
    }

    @Test
    void aHeapThatIsSparksAloneHasNoRoom() {
        assertTrue(ExecutorMemory.budget(conf, 320 * MB, 1, 1) <= 0);
    }
}
