package io.despina.operator.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.expr.Projection;
import io.despina.operator.Keys;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ResampleTest {
    private static final Schema RESULT = Schema.of(new Column("at", Simple.TIMESTAMP, false),
            new Column("k", Simple.STRING, true), new Column("last", Simple.BIGINT, false),
            new Column("next", Simple.BIGINT, false), new Column("exact", Simple.BOOLEAN, false),
            new Column("age", Simple.BIGINT, false), new Column("gap", Simple.BIGINT, false),
            new Column("part", Simple.DOUBLE, false));
    private static final Projection ROW = (inputs, out) -> {
        out.setColumn(0, inputs[2], 0);
        out.setColumn(1, inputs[0], 2);
        out.setColumn(2, inputs[0], 3);
        out.setColumn(3, inputs[1], 3);
        for (int k = 1; k < 5; k++) {
            out.setColumn(3 + k, inputs[2], k);
        }
    };

    private static OperatorHarness.Setup harness(Keys keys, long every, long offset) {
        return OperatorHarness.of(() -> new Resample(Timed.ORDER,
                new Resample.Options(keys, every, offset, partition -> ROW, List.of(2, 3))))
                .inputs(Timed.SCHEMA).outputs(RESULT, Timed.SCHEMA);
    }

    @Property(tries = 400)
    void anyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        long every = 1 + random.nextInt(7);
        long offset = random.nextInt(12);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(keys, every, offset), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> packets = new ArrayList<>(Timed.packets(steps, 0, false));
            packets.sort(Timed.IN_ORDER);
            assertEquals(sorted(oracle(packets, keys, every, offset)), sorted(harness.rows(0)),
                    every + " " + offset + " " + steps);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
        }
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    /** Every point of every group looks through all packets of the group. */
    private static List<List<Object>> oracle(List<List<Object>> packets, Keys keys, long every, long offset) {
        Map<Object, List<List<Object>>> groups = new LinkedHashMap<>();
        packets.forEach(packet -> groups.computeIfAbsent(keys.isNone() ? "all" : Timed.key(packet), k -> new ArrayList<>())
                .add(packet));
        List<List<Object>> rows = new ArrayList<>();
        for (List<List<Object>> group : groups.values()) {
            for (long at = Timed.time(group.get(0)); at <= Timed.time(group.get(group.size() - 1)); at++) {
                if (Math.floorMod(at - offset, every) != 0) {
                    continue;
                }
                long point = at;
                List<Object> last = group.stream().filter(p -> Timed.time(p) <= point).reduce((a, b) -> b).orElseThrow();
                boolean exact = Timed.time(last) == point;
                List<Object> next = exact ? last : group.stream().filter(p -> Timed.time(p) > point).findFirst().orElseThrow();
                long age = point - Timed.time(last);
                long gap = Timed.time(next) - Timed.time(last);
                rows.add(Rows.row(point, last.get(2), last.get(3), next.get(3), exact, age, gap,
                        exact ? 0.0 : (double) age / gap));
            }
        }
        return rows;
    }

    @Test
    void aPointAtAPacketHasItsRowWhenTheWatermarkHasPassedIt() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, 10, 0).open()) {
            harness.feedRow(0, 20L, 0, "a", 1L).feedRow(0, 20L, 1, "a", 2L).watermark(20);
            assertEquals(0, harness.rows(0).size());
            harness.watermark(21);
            assertEquals(List.of(Rows.row(20L, "a", 2L, 2L, true, 0L, 0L, 0.0)), harness.rows(0));
            harness.feedRow(0, 35L, 1, "a", 3L).end();
            assertEquals(Rows.row(30L, "a", 2L, 3L, false, 10L, 15L, 10.0 / 15), harness.rows(0).get(1));
            assertEquals(2, harness.rows(0).size());
        }
    }

    @Test
    void aLongGapIsGivenBitByBit() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, 1, 0).room(1, 1).open()) {
            harness.feedRow(0, -5_000L, 0, "a", 1L).feedRow(0, 5_000L, 1, "a", 2L).end();
            assertEquals(10_001, harness.rows(0).size());
            assertEquals(List.of(5_000L, "a", 2L, 2L, true, 0L, 0L, 0.0), harness.rows(0).get(10_000));
        }
    }
}
