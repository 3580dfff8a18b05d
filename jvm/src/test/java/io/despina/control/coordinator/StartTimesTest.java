package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.json.Json;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the start of a job took, from the command on. */
class StartTimesTest {
    private final AtomicLong wall = new AtomicLong(ManagementFactory.getRuntimeMXBean().getStartTime() + 5_000);

    @Test
    void eachStepCountsFromTheCommandAndOnlyOnce() {
        StartTimes start = new StartTimes(wall::get);
        wall.addAndGet(400);
        start.reach(StartTimes.Step.PLANNED);
        wall.addAndGet(100);
        start.reach(StartTimes.Step.JOINED);
        start.reach(StartTimes.Step.PLANNED);
        long command = wall.get() - 2_000;
        assertEquals("{\"asked_ms\":1500,\"planned_ms\":1900,\"joined_ms\":2000}", start.put(Json.object(), command).toString());
    }

    @Test
    void theStartOfTheJvmIsToldIfTheCommandCameBefore() {
        StartTimes start = new StartTimes(wall::get);
        assertEquals(300, start.put(Json.object(), wall.get() - 5_300).path("jvm_ms").asLong());
        assertTrue(start.put(Json.object(), wall.get() - 4_900).path("jvm_ms").isMissingNode());
    }
}
