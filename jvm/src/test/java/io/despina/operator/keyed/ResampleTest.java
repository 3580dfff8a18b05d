package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Rows;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Points;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
            new Column("exact", Simple.BOOLEAN, false), new Column("age", Simple.BIGINT, false),
            new Column("next", Simple.BIGINT, true), new Column("gap", Simple.BIGINT, true),
            new Column("part", Simple.DOUBLE, true));
    /** Without the columns that need the next packet. */
    private static final int ALONE = 5;
    private static final Schema RESULT_ALONE = new Schema(RESULT.columns().subList(0, ALONE));
    private static final Projection ROW_ALONE = (inputs, out) -> {
        out.setColumn(0, inputs[2], 0);
        out.setColumn(1, inputs[0], 2);
        out.setColumn(2, inputs[0], 3);
        out.setColumn(3, inputs[2], 1);
        out.setColumn(4, inputs[2], 2);
    };
    private static final Projection ROW = (inputs, out) -> {
        ROW_ALONE.apply(inputs, out);
        out.setColumn(5, inputs[1], 3);
        out.setColumn(6, inputs[2], 3);
        out.setColumn(7, inputs[2], 4);
    };

    private static OperatorHarness.Setup harness(Keys keys, Points points, boolean timely) {
        Resample.Options options = new Resample.Options(keys, points, partition -> timely ? ROW_ALONE : ROW, List.of(2, 3));
        return OperatorHarness.of(() -> timely ? new TimelyResample(Timed.ORDER, options) : new Resample(Timed.ORDER, options))
                .inputs(Timed.SCHEMA).outputs(timely ? RESULT_ALONE : RESULT, Timed.SCHEMA);
    }

    private static OperatorHarness.Setup harness(long every, long offset) {
        return harness(Timed.BY_K, new Points(every, offset, NEVER), false);
    }

    private static OperatorHarness.Setup ending(long every, long endsAfter, boolean timely) {
        return harness(Timed.BY_K, new Points(every, 0, endsAfter), timely);
    }

    private static Points points(Random random, boolean end) {
        return new Points(1 + random.nextInt(7), random.nextInt(12), end ? random.nextInt(20) : NEVER);
    }

    @Property(tries = 400)
    void anyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        compare(points(random, false), false, random);
    }

    @Property(tries = 400)
    void anyStreamOfGroupsThatEnd(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        compare(points(random, true), false, random);
    }

    @Property(tries = 400)
    void anyStreamOfGroupsThatEndWithRowsInTime(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        compare(points(random, true), true, random);
    }

    private static void compare(Points points, boolean timely, Random random) throws Exception {
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(keys, points, timely), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> packets = new ArrayList<>(Timed.packets(steps, 0, false));
            packets.sort(Timed.IN_ORDER);
            List<List<Object>> expected = oracle(packets, keys, points).stream()
                    .map(row -> timely ? row.subList(0, ALONE) : row).toList();
            assertEquals(sorted(expected), sorted(harness.rows(0)), points + " " + steps);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
            if (points.groupsEnd()) {
                checkNoRowIsLate(harness.events(0));
            }
        }
    }

    private static void checkNoRowIsLate(List<Event> events) {
        long watermark = Long.MIN_VALUE;
        for (Event event : events) {
            if (event.row() != null) {
                assertTrue(Timed.time(event.row()) >= watermark, event + " after " + watermark);
            } else {
                watermark = event.watermark();
            }
        }
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    /** Every point looks through all packets of every group. */
    private static List<List<Object>> oracle(List<List<Object>> packets, Keys keys, Points points) {
        Map<Object, List<List<Object>>> groups = new LinkedHashMap<>();
        packets.forEach(packet -> groups.computeIfAbsent(keys.isNone() ? "all" : Timed.key(packet), k -> new ArrayList<>())
                .add(packet));
        List<List<Object>> rows = new ArrayList<>();
        for (List<List<Object>> group : groups.values()) {
            long until = Timed.time(group.get(group.size() - 1)) + (points.groupsEnd() ? points.endsAfter() : 0);
            for (long at = Timed.time(group.get(0)); at <= until; at++) {
                if (Math.floorMod(at - points.offset(), points.every()) == 0) {
                    addRow(at, group, points, rows);
                }
            }
        }
        return rows;
    }

    private static void addRow(long at, List<List<Object>> group, Points points, List<List<Object>> rows) {
        List<Object> last = group.stream().filter(p -> Timed.time(p) <= at).reduce((a, b) -> b).orElseThrow();
        long age = at - Timed.time(last);
        if (points.groupsEnd() && age > points.endsAfter()) {
            return;
        }
        List<Object> next = age == 0 ? last : group.stream().filter(p -> Timed.time(p) > at).findFirst().orElse(null);
        long gap = next == null ? Long.MAX_VALUE : Timed.time(next) - Timed.time(last);
        boolean ended = points.groupsEnd() && gap > points.endsAfter();
        rows.add(Rows.row(at, last.get(2), last.get(3), age == 0, age, ended ? null : next.get(3), ended ? null : gap,
                ended ? null : age == 0 ? 0.0 : (double) age / gap));
    }

    /** A row is at most so far behind the rows of its clock as the stream behind is told. */
    @Property(tries = 400)
    void byTheClocksOfKeysNoRowIsFartherBehindThanItMayBe(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Points points = points(random, true);
        boolean timely = random.nextBoolean();
        long delay = random.nextInt(12);
        Keys keys = new Keys(Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(1)), Timed.columns(2, 1), 256)
                .with(new Clocks(Timed.BY_K, List.of(0), delay));
        try (OperatorHarness harness = Timed.room(harness(keys, points, timely), random).open()) {
            for (Step step : Timed.perKey(random, delay)) {
                harness.feed(0, List.of(step.row()));
                if (random.nextInt(20) == 0) {
                    harness.restart();
                }
            }
            harness.end();
            Map<Object, Long> greatest = new HashMap<>();
            for (List<Object> row : harness.rows(0)) {
                long before = greatest.merge(row.get(1), Timed.time(row), Math::max);
                assertTrue(Timed.time(row) >= before - (timely ? 0 : points.endsAfter()), row + " after " + before);
            }
        }
    }

    @Test
    void aPointAtAPacketHasItsRowWhenTheWatermarkHasPassedIt() throws Exception {
        try (OperatorHarness harness = harness(10, 0).open()) {
            harness.feedRow(0, 20L, 0, "a", 1L).feedRow(0, 20L, 1, "a", 2L).watermark(20);
            assertEquals(0, harness.rows(0).size());
            harness.watermark(21);
            assertEquals(List.of(Rows.row(20L, "a", 2L, true, 0L, 2L, 0L, 0.0)), harness.rows(0));
            harness.feedRow(0, 35L, 1, "a", 3L).end();
            assertEquals(Rows.row(30L, "a", 2L, false, 10L, 3L, 15L, 10.0 / 15), harness.rows(0).get(1));
            assertEquals(2, harness.rows(0).size());
        }
    }

    @Test
    void aLongGapIsGivenBitByBit() throws Exception {
        try (OperatorHarness harness = harness(1, 0).room(1, 1).open()) {
            harness.feedRow(0, -5_000L, 0, "a", 1L).feedRow(0, 5_000L, 1, "a", 2L).end();
            assertEquals(10_001, harness.rows(0).size());
            assertEquals(List.of(5_000L, "a", 2L, true, 0L, 2L, 0L, 0.0), harness.rows(0).get(10_000));
        }
    }

    @Test
    void aPacketThatComesExactlyInTimeIsTheNextOne() throws Exception {
        try (OperatorHarness harness = ending(10, 20, false).open()) {
            harness.feedRow(0, 5L, 0, "a", 1L).feedRow(0, 25L, 0, "a", 2L).feedRow(0, 46L, 0, "a", 3L).end();
            assertEquals(List.of(Rows.row(10L, "a", 1L, false, 5L, 2L, 20L, 0.25),
                    Rows.row(20L, "a", 1L, false, 15L, 2L, 20L, 0.75),
                    Rows.row(30L, "a", 2L, false, 5L, null, null, null), Rows.row(40L, "a", 2L, false, 15L, null, null, null),
                    Rows.row(50L, "a", 3L, false, 4L, null, null, null), Rows.row(60L, "a", 3L, false, 14L, null, null, null)),
                    harness.rows(0));
        }
    }

    @Test
    void rowsThatNeedNoNextPacketLeaveAsTheWatermarkPassesTheirPoints() throws Exception {
        try (OperatorHarness harness = ending(10, 20, true).open()) {
            harness.feedRow(0, 5L, 0, "a", 1L).feedRow(0, 8L, 0, "b", 2L).watermark(20).watermark(21).watermark(31);
            assertEquals(List.of(Event.of(10L, "a", 1L, false, 5L), Event.of(10L, "b", 2L, false, 2L),
                    Event.watermark(20, false),
                    Event.of(20L, "a", 1L, false, 15L), Event.of(20L, "b", 2L, false, 12L), Event.watermark(21, false),
                    Event.watermark(31, false)), harness.events(0));
        }
    }

    @Test
    void theOutputsAreToldOfAWatermarkThatRowsToComeAreNotBehind() throws Exception {
        try (OperatorHarness harness = ending(10, 20, false).open()) {
            harness.feedRow(0, 5L, 0, "a", 1L).watermark(25).watermark(26).end();
            assertEquals(List.of(Event.watermark(5, false), Event.of(10L, "a", 1L, false, 5L, null, null, null),
                    Event.of(20L, "a", 1L, false, 15L, null, null, null), Event.watermark(6, false),
                    Event.watermark(Long.MAX_VALUE, false)), harness.events(0));
            Operator operator = harness.operator();
            assertEquals(Long.MIN_VALUE, operator.outputWatermark(Long.MIN_VALUE + 7));
        }
    }

    @Test
    void groupsThatHaveEndedTakeNoMemory() throws Exception {
        for (boolean timely : List.of(false, true)) {
            try (OperatorHarness harness = ending(10, 20, timely).open()) {
                long few = 0;
                for (long k = 0; k < 2_000; k++) {
                    harness.feedRow(0, 30 * k, 0, "device " + k, k).watermark(30 * k + 25);
                    assertEquals(0, keys(harness));
                    few = k == 10 ? harness.stateBytes : few;
                }
                assertEquals(few, harness.stateBytes);
                assertEquals(3 * 2_000, harness.rows(0).size());
            }
        }
    }

    private static long keys(OperatorHarness harness) {
        return harness.operator().states().stream().filter(state -> state.name().endsWith("groups")).findFirst().orElseThrow()
                .keys();
    }

    @Test
    void aGroupWithoutAPointToComeIsNotKept() throws Exception {
        try (OperatorHarness harness = ending(10, 2, true).open()) {
            harness.feedRow(0, 11L, 0, "a", 1L).feedRow(0, 18L, 0, "b", 1L).watermark(19);
            assertEquals(1, keys(harness));
            harness.feedRow(0, 19L, 0, "a", 2L).end();
            assertEquals(List.of(Rows.row(20L, "b", 1L, false, 2L), Rows.row(20L, "a", 2L, false, 1L)), harness.rows(0));
        }
    }

    @Test
    void aRowThatFailsIsLeftOutAndItsPointIsNamed() throws Exception {
        for (boolean timely : List.of(false, true)) {
            Projection failing = (inputs, out) -> {
                if (inputs[2].getLong(0) == 10) {
                    throw new ArithmeticException("no");
                }
                (timely ? ROW_ALONE : ROW).apply(inputs, out);
            };
            Points points = new Points(5, 0, 10);
            Resample.Options options = new Resample.Options(Timed.BY_K, points, partition -> failing, List.of(2, 3));
            try (OperatorHarness harness = OperatorHarness
                    .of(() -> timely ? new TimelyResample(Timed.ORDER, options) : new Resample(Timed.ORDER, options))
                    .inputs(Timed.SCHEMA).outputs(timely ? RESULT_ALONE : RESULT, Timed.SCHEMA).skippingBadRecords().open()) {
                harness.feedRow(0, 5L, 0, "a", 1L).feedRow(0, 10L, 0, "b", 2L).end();
                assertEquals(List.of(5L, 15L, 15L, 20L), harness.rows(0).stream().map(row -> row.get(0)).sorted().toList());
                assertEquals(2, harness.badRecords.size());
                assertTrue(harness.badRecords.get(0).startsWith("the point 1970-01-01T00:00:00.000010Z: "),
                        harness.badRecords.toString());
            }
        }
    }

    @Test
    void theLastPointsOfTimeAreNoEndlessLoop() throws Exception {
        for (boolean timely : List.of(false, true)) {
            long time = Long.MAX_VALUE - 25;
            try (OperatorHarness harness = ending(10, Long.MAX_VALUE - 1, timely).open()) {
                harness.feedRow(0, time, 0, "a", 1L).end();
                assertEquals(List.of(Long.MAX_VALUE - 17, Long.MAX_VALUE - 7),
                        harness.rows(0).stream().map(row -> row.get(0)).toList());
            }
        }
    }

    /** Where a difference of times is more than a long holds, it is the greatest that a long holds. */
    @Test
    void twoPacketsMayBeAsFarApartAsTimesAre() throws Exception {
        long quarter = 1L << 62;
        try (OperatorHarness harness = harness(quarter, 0).open()) {
            harness.feedRow(0, -2 * quarter, 0, "a", 1L).feedRow(0, Long.MAX_VALUE - 1, 1, "a", 2L).end();
            long most = Long.MAX_VALUE;
            assertEquals(List.of(Rows.row(-2 * quarter, "a", 1L, true, 0L, 1L, 0L, 0.0),
                    Rows.row(-quarter, "a", 1L, false, quarter, 2L, most, 0.25),
                    Rows.row(0L, "a", 1L, false, most, 2L, most, 0.5),
                    Rows.row(quarter, "a", 1L, false, most, 2L, most, 0.75)), sorted(harness.rows(0)).stream()
                    .sorted(Comparator.comparing(row -> (Long) row.get(0))).toList());
        }
    }

    @Test
    void aPointBeforeTheNextPacketIsNotAtItHoweverNear() throws Exception {
        long far = 1L << 60;
        try (OperatorHarness harness = harness(far - 1, 0).open()) {
            harness.feedRow(0, 0L, 0, "a", 1L).feedRow(0, far, 1, "a", 2L).end();
            assertEquals(Math.nextDown(1.0), harness.rows(0).stream().filter(row -> row.get(0).equals(far - 1)).findFirst()
                    .orElseThrow().get(7));
        }
    }
}
