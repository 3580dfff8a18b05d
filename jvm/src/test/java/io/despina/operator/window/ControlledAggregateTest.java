package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Windows that a second stream opens and closes, against a naive oracle that looks at each group as a whole. */
class ControlledAggregateTest {
    private static final int IN = 0;
    private static final int CONTROL = 1;
    private static final int V = 3;

    /** Of both streams, packets open and close that are multiples; one of the first closes too by number and age. */
    private record Rules(int[] opens, int[] closes, long count, long ageMillis, long most) {
        static Rules of(Random random) {
            boolean asks = random.nextBoolean();
            int never = Integer.MAX_VALUE;
            return new Rules(new int[] {random.nextBoolean() ? never : 1 + random.nextInt(5), 1 + random.nextInt(3)},
                    new int[] {random.nextBoolean() ? never : 1 + random.nextInt(5), 1 + random.nextInt(3)},
                    asks ? 1 + random.nextInt(4) : Long.MAX_VALUE, asks ? random.nextInt(3) : Long.MAX_VALUE,
                    random.nextBoolean() ? NEVER : 1 + random.nextInt(20));
        }

        boolean opens(int port, List<Object> packet) {
            return isMultiple((Long) packet.get(V), opens[port]);
        }

        boolean closes(int port, List<Object> packet, long packets, long micros) {
            return isMultiple((Long) packet.get(V), closes[port]) || packets >= count || micros / 1000 >= ageMillis;
        }

        private static boolean isMultiple(long v, int of) {
            return of != Integer.MAX_VALUE && v % of == 0;
        }

        ControlAggregate.Borders borders(int port) {
            Compiled<Predicate> open = instance -> inputs -> isMultiple(inputs[port].getLong(V), opens[port])
                    && inputs[1 - port].isNull(V);
            Compiled<Predicate> close = instance -> inputs -> isMultiple(inputs[port].getLong(V), closes[port])
                    || inputs[2].getLong(0) >= count || inputs[2].getLong(1) >= ageMillis;
            return new ControlAggregate.Borders(open, close, true, most);
        }

        Supplier<Operator> operator(Keys keys) {
            return () -> new ControlledAggregate(new ControlledAggregate.Side(Timed.ORDER, keys, borders(IN)),
                    new ControlledAggregate.Side(Timed.ORDER, keys, borders(CONTROL)), instance -> new Collected());
        }
    }

    private static OperatorHarness.Setup harness(Supplier<Operator> operator) {
        return OperatorHarness.of(operator).inputs(Timed.SCHEMA, Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private record Taken(int port, List<Object> packet) {
    }

    /** A window that the oracle has open. */
    private static final class Open {
        final long start;
        final List<Object> values = new ArrayList<>();
        long last;

        Open(long start) {
            this.start = start;
            last = start;
        }

        List<Object> row(Object key, long end) {
            return Rows.row(key, start, end, null, (long) values.size(), values.toString());
        }
    }

    private static List<List<Object>> group(Object key, List<Taken> packets, Rules rules) {
        List<List<Object>> rows = new ArrayList<>();
        Open open = null;
        for (Taken taken : packets) {
            long time = Timed.time(taken.packet);
            if (open != null && rules.most != NEVER && time - open.start >= rules.most) {
                rows.add(open.row(key, open.start + rules.most));
                open = null;
            }
            if (taken.port == CONTROL) {
                boolean closes = open != null && rules.closes(CONTROL, taken.packet, open.values.size(), time - open.start);
                if (closes) {
                    rows.add(open.row(key, time));
                }
                if ((open == null || closes) && rules.opens(CONTROL, taken.packet)) {
                    open = new Open(time);
                } else if (closes) {
                    open = null;
                }
                continue;
            }
            open = open == null && rules.opens(IN, taken.packet) ? new Open(time) : open;
            if (open != null) {
                open.values.add(taken.packet.get(V));
                open.last = time;
                if (rules.closes(IN, taken.packet, open.values.size(), time - open.start)) {
                    rows.add(open.row(key, time + 1));
                    open = null;
                }
            }
        }
        if (open != null) {
            rows.add(open.row(key, rules.most == NEVER ? open.last + 1 : open.start + rules.most));
        }
        return rows;
    }

    private static List<List<Object>> expected(Keys keys, List<Step> steps, Rules rules) {
        List<Taken> all = Stream.concat(
                Timed.packets(steps, CONTROL, false).stream().map(row -> new Taken(CONTROL, row)),
                Timed.packets(steps, IN, false).stream().map(row -> new Taken(IN, row)))
                .sorted(Comparator.<Taken>comparingLong(taken -> Timed.time(taken.packet))
                        .thenComparing(taken -> -taken.port)
                        .thenComparing(Taken::packet, Timed.IN_ORDER)).toList();
        if (keys.isNone()) {
            return group(null, all, rules);
        }
        List<Taken> keyed = all.stream().filter(taken -> taken.port == IN || Timed.key(taken.packet) != null).toList();
        return keyed.stream().map(taken -> Timed.key(taken.packet)).distinct().flatMap(key -> group(key, keyed.stream()
                .filter(taken -> Objects.equals(Timed.key(taken.packet), key)).toList(), rules).stream()).toList();
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    @Property(tries = 500)
    void windowsOfTwoStreams(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(3) == 0 ? Keys.none() : Timed.BY_K;
        Rules rules = Rules.of(random);
        List<Step> steps = Timed.stream(random, 2);
        try (OperatorHarness harness = Timed.room(harness(rules.operator(keys)), random).open()) {
            Timed.play(harness, steps, random);
            assertEquals(sorted(expected(keys, steps, rules)), sorted(harness.rows(0)), () -> rules + " " + steps);
            List<List<Object>> late = new ArrayList<>(Timed.packets(steps, IN, true));
            late.addAll(Timed.packets(steps, CONTROL, true));
            assertEquals(sorted(late), sorted(harness.rows(1)));
        }
    }

    /** A row's event time is the end of its window less a microsecond. */
    @Property(tries = 200)
    void noRowIsLateBehindIt(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Rules rules = Rules.of(random);
        try (OperatorHarness harness = harness(rules.operator(Timed.BY_K)).open()) {
            long told = Long.MIN_VALUE;
            for (Step step : Timed.stream(random, 2)) {
                if (step.row() != null) {
                    harness.feed(step.port(), List.of(step.row()));
                    continue;
                }
                int before = harness.rows(0).size();
                harness.watermark(step.watermark());
                for (List<Object> row : harness.rows(0).subList(before, harness.rows(0).size())) {
                    assertTrue((Long) row.get(2) - 1 >= told, row + " after " + told);
                }
                told = harness.operator().outputWatermark(step.watermark());
            }
        }
    }

    @Test
    void ofOneTimeControlsComeFirstAndBoundWindows() throws Exception {
        Rules rules = new Rules(new int[] {Integer.MAX_VALUE, 1}, new int[] {Integer.MAX_VALUE, 1}, Long.MAX_VALUE,
                Long.MAX_VALUE, NEVER);
        try (OperatorHarness harness = harness(rules.operator(Timed.BY_K)).open()) {
            harness.feedRow(IN, 10L, null, "a", 1L).feedRow(IN, 20L, null, "a", 2L).feedRow(IN, 9L, null, "a", 0L);
            harness.feedRow(CONTROL, 20L, null, "a", 0L).feedRow(CONTROL, 10L, null, "a", 0L);
            harness.feedRow(CONTROL, 10L, null, "b", 0L).feedRow(CONTROL, 15L, null, "b", 0L);
            harness.watermark(Long.MAX_VALUE).end();
            assertEquals(sorted(List.of(Rows.row("a", 10L, 20L, null, 1L, "[1]"), Rows.row("a", 20L, 21L, null, 1L, "[2]"),
                    Rows.row("b", 10L, 15L, null, 0L, "[]"), Rows.row("b", 15L, 16L, null, 0L, "[]"))), sorted(harness.rows(0)));
        }
    }

    @Test
    void aCommandThatCannotBeTriedChangesNothing() throws Exception {
        Compiled<Predicate> opens = instance -> inputs -> {
            if (inputs[CONTROL].getLong(V) == Collected.BAD) {
                throw new ArithmeticException("a bad command");
            }
            return true;
        };
        ControlAggregate.Borders never = new ControlAggregate.Borders(i -> inputs -> false, i -> inputs -> false, false, NEVER);
        ControlAggregate.Borders always = new ControlAggregate.Borders(opens, i -> inputs -> true, false, NEVER);
        try (OperatorHarness harness = harness(() -> new ControlledAggregate(
                new ControlledAggregate.Side(Timed.ORDER, Timed.BY_K, never),
                new ControlledAggregate.Side(Timed.ORDER, Timed.BY_K, always), i -> new Collected()))
                .skippingBadRecords().open()) {
            harness.feedRow(CONTROL, 1L, null, "a", 1L).feedRow(CONTROL, 2L, null, "a", Collected.BAD);
            harness.feedRow(IN, 3L, null, "a", 7L);
            harness.watermark(Long.MAX_VALUE).end();
            assertEquals(List.of(Rows.row("a", 1L, 4L, null, 1L, "[7]")), harness.rows(0));
            assertEquals(1, harness.badRecords.size());
        }
    }

    /** The one stream has keys that are never NULL, the other has them in a schema where they may be. */
    @Test
    void keysMayDifferInWhetherTheyCanBeNull() throws Exception {
        Schema strict = Schema.of(Timed.SCHEMA.column(0), Timed.SCHEMA.column(1), new Column("k", Type.Simple.STRING, false),
                Timed.SCHEMA.column(3));
        Keys keys = new Keys(Schema.of(strict.column(2)), Timed.columns(2), 256);
        Rules rules = new Rules(new int[] {Integer.MAX_VALUE, 1}, new int[] {Integer.MAX_VALUE, 1}, Long.MAX_VALUE,
                Long.MAX_VALUE, NEVER);
        try (OperatorHarness harness = OperatorHarness.of(() -> new ControlledAggregate(
                new ControlledAggregate.Side(Timed.ORDER, keys, rules.borders(IN)),
                new ControlledAggregate.Side(Timed.ORDER, Timed.BY_K, rules.borders(CONTROL)), i -> new Collected()))
                .inputs(strict, Timed.SCHEMA).outputs(Collected.RESULT, strict).open()) {
            harness.feedRow(CONTROL, 1L, null, null, 0L).feedRow(CONTROL, 1L, null, "a", 0L).feedRow(IN, 2L, null, "a", 5L);
            harness.feedRow(CONTROL, 4L, null, "a", 0L);
            harness.watermark(Long.MAX_VALUE).end();
            assertEquals(List.of(Rows.row("a", 1L, 4L, null, 1L, "[5]"), Rows.row("a", 4L, 5L, null, 0L, "[]")),
                    harness.rows(0));
        }
    }
}
