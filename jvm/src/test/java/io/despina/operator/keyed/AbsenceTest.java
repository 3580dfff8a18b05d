package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
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

class AbsenceTest {
    private static final Schema RESULT = Schema.of(new Column("since", Simple.TIMESTAMP, false),
            new Column("at", Simple.TIMESTAMP, false), new Column("k", Simple.STRING, true),
            new Column("v", Simple.BIGINT, false));
    private static final long BAD = -13;
    private static final Projection SELECT = (inputs, out) -> {
        if (inputs[0].getLong(3) == BAD) {
            throw new ArithmeticException("a bad packet");
        }
        out.setColumn(0, inputs[1], 0);
        out.setColumn(1, inputs[1], 1);
        out.setColumn(2, inputs[0], 2);
        out.setColumn(3, inputs[0], 3);
    };

    private static OperatorHarness.Setup harness(Keys keys, long within, long repeat) {
        return OperatorHarness.of(() -> new Absence(Timed.ORDER,
                new Absence.Options(keys, within, repeat, partition -> SELECT, List.of(2, 3))))
                .inputs(Timed.SCHEMA).outputs(RESULT, Timed.SCHEMA, Timed.SCHEMA);
    }

    /** Rows at {@code out} and at {@code back}. */
    private record Given(List<List<Object>> rows, List<List<Object>> back) {
    }

    @Property(tries = 400)
    void anyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        long within = 1 + random.nextInt(12);
        long repeat = random.nextBoolean() ? NEVER : 1 + random.nextInt(9);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(keys, within, repeat), random).open()) {
            Timed.play(harness, steps, random);
            Given expected = oracle(steps, keys, within, repeat);
            assertEquals(sorted(expected.rows), sorted(harness.rows(0)), within + " " + repeat + " " + steps);
            assertEquals(expected.back, harness.rows(2));
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
            List<Object> moments = harness.rows(0).stream().map(row -> row.get(1)).toList();
            assertTrue(repeat != NEVER || moments.stream().sorted().toList().equals(moments), moments::toString);
        }
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    private static Given oracle(List<Step> steps, Keys keys, long within, long repeat) {
        List<List<Object>> packets = new ArrayList<>(Timed.packets(steps, 0, false));
        packets.sort(Timed.IN_ORDER);
        long end = steps.stream().filter(step -> step.row() == null).mapToLong(Step::watermark).max().orElse(Long.MIN_VALUE);
        Given given = new Given(new ArrayList<>(), new ArrayList<>());
        Map<Object, List<Object>> last = new LinkedHashMap<>();
        for (List<Object> packet : packets) {
            List<Object> before = last.put(keys.isNone() ? "all" : Timed.key(packet), packet);
            if (before != null && Timed.time(packet) - Timed.time(before) > within) {
                given.back.add(packet);
                absent(before, within, repeat, Timed.time(packet), given.rows);
            }
        }
        for (List<Object> packet : last.values()) {
            absent(packet, within, repeat, Math.max(end, Timed.time(packet) + within + 1), given.rows);
        }
        return given;
    }

    private static void absent(List<Object> packet, long within, long repeat, long until, List<List<Object>> rows) {
        for (long at = Timed.time(packet) + within; at < until; at += repeat) {
            rows.add(Rows.row(Timed.time(packet), at, packet.get(2), packet.get(3)));
            if (repeat == NEVER) {
                return;
            }
        }
    }

    @Test
    void aPacketThatComesExactlySoLongAfterIsInTime() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, 10, NEVER).open()) {
            harness.feedRow(0, 0L, 0, "a", 1L).feedRow(0, 10L, 0, "a", 2L).watermark(20);
            assertEquals(List.of(), harness.rows(0));
            harness.watermark(21);
            assertEquals(List.of(Rows.row(10L, 20L, "a", 2L)), harness.rows(0));
            harness.feedRow(0, 21L, 0, "a", 3L).watermark(22);
            assertEquals(List.of(Rows.row(21L, 0, "a", 3L)), harness.rows(2));
        }
    }

    @Test
    void aRowThatCannotBeMadeIsABadRecordOnce() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, 10, NEVER).skippingBadRecords().open()) {
            harness.feedRow(0, 0L, 0, "a", BAD).watermark(50).watermark(60);
            assertEquals(List.of("a group of which nothing came: a bad packet: "), harness.badRecords);
        }
    }

    @Test
    void timesAtTheirEndsDoNotWrap() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, 10, 5).open()) {
            harness.feedRow(0, Long.MAX_VALUE - 3, 0, "a", 1L).end();
            assertEquals(List.of(Rows.row(Long.MAX_VALUE - 3, Long.MAX_VALUE, "a", 1L)), harness.rows(0));
        }
    }
}
