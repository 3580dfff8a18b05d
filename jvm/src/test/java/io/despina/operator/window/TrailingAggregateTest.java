package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TrailingAggregateTest {

    @Property(tries = 400)
    void anyWindowOfAnyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = random.nextInt(4) == 0 ? 1000 : random.nextInt(60);
        Keys keys = random.nextInt(3) == 0 ? Keys.none() : Timed.BY_K;
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(size, keys), random).open()) {
            Timed.play(harness, steps, random);
            assertEquals(oracle(size, keys, Timed.packets(steps, 0, false)), harness.rows(0), size + " " + steps);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
        }
    }

    private static OperatorHarness.Setup harness(long size, Keys keys) {
        return OperatorHarness
                .of(() -> new TrailingAggregate(Timed.ORDER, size, keys, partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private static List<List<Object>> oracle(long size, Keys keys, List<List<Object>> packets) {
        List<List<Object>> inOrder = new ArrayList<>(packets);
        inOrder.sort(Timed.IN_ORDER);
        return inOrder.stream().map(row -> {
            long time = Timed.time(row);
            List<Object> all = inOrder.stream()
                    .filter(other -> keys.isNone() || Objects.equals(Timed.key(other), Timed.key(row)))
                    .filter(other -> time - size <= Timed.time(other) && Timed.time(other) <= time)
                    .map(other -> other.get(3)).toList();
            return Rows.row(keys.isNone() ? null : Timed.key(row), time - size, time, row.get(3), (long) all.size(),
                    all.toString());
        }).toList();
    }

    @Property(tries = 20)
    void longWindowsInBlocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        int size = 100 + random.nextInt(300);
        List<Step> steps = new ArrayList<>();
        long time = 0;
        for (long v = 0; v < 1500; v++) {
            time += random.nextInt(3);
            steps.add(new Step(0, Rows.row(time, null, random.nextInt(20) == 0 ? "rare" : "often", v), 0));
            if (random.nextInt(50) == 0) {
                time += random.nextInt(150);
                steps.add(new Step(0, null, time));
            }
        }
        try (OperatorHarness harness = harness(size, Timed.BY_K).open()) {
            Timed.play(harness, steps, random);
            assertEquals(oracle(size, Timed.BY_K, Timed.packets(steps, 0, false)), harness.rows(0));
        }
    }

    @Test
    void aWindowThatBeginsBeforeTimeIsAnError() throws Exception {
        try (OperatorHarness harness = harness(10, Timed.BY_K).skippingBadRecords().open()) {
            for (long v = 8; v < 12; v++) {
                harness.feedRow(0, Long.MIN_VALUE + v, null, "a", v);
            }
            harness.end();
            assertEquals(List.of("[10]", "[10, 11]"), harness.rows(0).stream().map(row -> row.get(5)).toList());
            assertEquals(2, harness.badRecords.size());
        }
    }

    @Test
    void groupsThatAreOverAreForgotten() throws Exception {
        try (OperatorHarness harness = harness(10, Timed.BY_K).open()) {
            for (long v = 0; v < 2000; v++) {
                harness.feedRow(0, v, null, "group " + v, v);
            }
            harness.watermark(2000);
            long held = harness.stateBytes;
            for (long v = 2000; v < 20000; v++) {
                harness.feedRow(0, v, null, "group " + v, v).watermark(v);
            }
            long later = harness.stateBytes;
            assertTrue(later <= held, () -> held + " bytes have become " + later);
        }
    }

    @Test
    void aBadPacketHasNoRowAndIsInNoWindow() throws Exception {
        try (OperatorHarness harness = harness(10, Timed.BY_K).skippingBadRecords().open()) {
            harness.feedRow(0, 1L, 0, "a", 1L).feedRow(0, 1L, 1, "a", Collected.BAD).feedRow(0, 1L, 2, "a", 2L).end();
            assertEquals(List.of("a bad packet"), harness.badRecords);
            assertEquals(List.of(Rows.row("a", -9L, 1L, 1L, 2L, "[1, 2]"), Rows.row("a", -9L, 1L, 2L, 2L, "[1, 2]")),
                    harness.rows(0));
        }
    }
}
