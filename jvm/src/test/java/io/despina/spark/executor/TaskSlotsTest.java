package io.despina.spark.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.control.protocol.Refusal;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.junit.jupiter.api.Test;

class TaskSlotsTest {
    @Test
    void anApplicationThatEndsWhileExecutorsAreAwaitedIsSaidToHaveEnded() throws Refusal {
        SparkContext spark = new SparkContext(new SparkConf(false).setMaster("local[1]").setAppName("slots")
                .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1"));
        TaskSlots slots = new TaskSlots(spark, 0);
        try {
            assertEquals(1, slots.all().size());
        } finally {
            spark.stop();
        }
        assertEquals("the Spark application has ended", assertThrows(Refusal.class, slots::all).getMessage());
        assertEquals("the Spark application has ended",
                assertThrows(Refusal.class, () -> slots.divide(1, true, () -> false)).getMessage());
    }
}
