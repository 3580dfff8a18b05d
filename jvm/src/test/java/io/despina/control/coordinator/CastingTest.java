package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.placement.Deployment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CastingTest {
    private static final List<Deployment.Resource> LOST = Deployment.load("""
            {"format": 1, "resources": {"a": {}, "b": {}, "c": {}}}
            """, "d").value().resources();

    private static final Refusal NO_ROOM = new Refusal("memory", "operator sink, instance 3: holds 4194304 bytes of state", null);

    private long nanos = Long.MAX_VALUE - 5;

    @Test
    void aSpareTakesOnePartAndNoMore() {
        assertEquals(List.of("a", "b", "c"), without(0));
        assertEquals(List.of("b", "c"), without(1));
        assertEquals(List.of("c"), without(2));
        assertEquals(List.of(), without(4));
    }

    @Test
    void whoNoSpareFitsIsMoved() {
        List<Deployment.Resource> moved = Casting.withoutSpare(LOST, each -> each.name().equals("b") ? 1 : 0);
        assertEquals(List.of("a", "c"), moved.stream().map(Deployment.Resource::name).toList());
    }

    private static JobPlan cast(FullSurvivors full, String... lost) throws Refusal {
        String deployment = """
                {"format": 1, "on_loss": "move",
                 "resources": {"a": {"memory_bytes": 100000000}, "b": {"memory_bytes": 90000000},
                               "c": {"memory_bytes": 80000000}}}
                """;
        JobPlan planned = JobPlan.of(JobGraphs.relay(10), "test", JobOptions.parse(Json.object()
                .put("deployment_text", deployment).put("state", "s").toString(), System::currentTimeMillis)).value();
        List<Deployment.Resource> gone = planned.deployment().resources().stream()
                .filter(each -> List.of(lost).contains(each.name())).toList();
        return Casting.of(planned, full, gone, gone);
    }

    private static Map<String, String> moved(FullSurvivors full, String... lost) throws Refusal {
        return cast(full, lost).deployment().losses().moved();
    }

    @Test
    void aPartIsNotMovedAgainToWhoHadNoRoomForIt() throws Refusal {
        FullSurvivors full = new FullSurvivors(() -> nanos);
        String first = moved(full, "a").get("a");
        assertEquals("resource `" + first + "` has no room for the part of `a`, so it is not moved there again soon: "
                + NO_ROOM.getMessage(), FullSurvivors.words(Map.of("a", first), NO_ROOM));
        assertTrue(full.note(Map.of("a", first), NO_ROOM.in(first)));
        String second = moved(full, "a").get("a");
        assertEquals(Set.of("b", "c"), Set.of(first, second));
        full.note(Map.of("a", second), NO_ROOM.in(second));
        assertEquals(Map.of(), moved(full, "a"));
        assertEquals("a", moved(full, "b", "c").get(first));
    }

    @Test
    void anotherFailureOrOneWithoutMovesSaysNothingOfRoom() throws Refusal {
        FullSurvivors full = new FullSurvivors(() -> nanos);
        assertFalse(full.note(Map.of("a", "b"), new Refusal("operator", "it broke", null).in("b")));
        assertFalse(full.note(Map.of(), NO_ROOM.in("b")));
        assertEquals(1, moved(full, "a").size());
        full.note(new TreeMap<>(Map.of("a", "c", "b", "c")), NO_ROOM.in("c"));
        assertTrue(full.has("a", "c") && full.has("b", "c") && !full.has("a", "b"));
    }

    @Test
    void aResourceWithoutRoomForItsOwnSaysNothingOfASurvivor() {
        FullSurvivors full = new FullSurvivors(() -> nanos);
        assertFalse(full.note(Map.of("a", "b"), NO_ROOM.in("c")));
        assertFalse(full.note(Map.of("a", "b"), NO_ROOM));
        assertFalse(full.has("a", "b"));
        assertTrue(full.note(Map.of("a", "b", "d", "c"), NO_ROOM.in("c")));
        assertTrue(full.has("d", "c") && !full.has("a", "b"));
    }

    private void later(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** It may have been the memory of an attempt that had just ended. */
    @Test
    void aSurvivorIsTriedAgainLaterAndEachTimeAfterTwiceAsLong() throws Refusal {
        FullSurvivors full = new FullSurvivors(() -> nanos);
        String first = moved(full, "a").get("a");
        for (long millis = FullSurvivors.FIRST_MILLIS; millis < 10 * FullSurvivors.FIRST_MILLIS; millis *= 2) {
            assertTrue(full.note(Map.of("a", first), NO_ROOM.in(first)));
            later(millis - 1);
            assertNotEquals(first, moved(full, "a").get("a"));
            later(1);
            assertEquals(first, moved(full, "a").get("a"));
        }
    }

    private static List<String> without(int spares) {
        return Casting.withoutSpare(LOST, each -> spares).stream().map(Deployment.Resource::name).toList();
    }
}
