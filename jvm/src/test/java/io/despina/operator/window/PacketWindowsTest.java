package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Windows whose borders packets set, against naive oracles that look at each group as a whole. */
class PacketWindowsTest {
    private static final int V = 3;

    /** What one group gives: rows of (window start, end, the packets in it). */
    private interface Oracle {
        List<Found> windows(List<List<Object>> group);
    }

    private record Found(long start, long end, List<List<Object>> packets) {
        List<Object> row(Object key) {
            List<Object> values = packets.stream().map(packet -> packet.get(V)).toList();
            return Rows.row(key, start, end, null, (long) values.size(), values.toString());
        }
    }

    private static OperatorHarness.Setup harness(Supplier<Operator> operator) {
        return OperatorHarness.of(operator).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private static void hold(Random random, Keys keys, Supplier<Operator> operator, Oracle oracle) throws Exception {
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(operator), random).open()) {
            Timed.play(harness, steps, random);
            assertEquals(sorted(expected(keys, Timed.packets(steps, 0, false), oracle)), sorted(harness.rows(0)),
                    steps::toString);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
            assertInOrderOfEnds(harness.rows(0));
        }
    }

    private static void assertInOrderOfEnds(List<List<Object>> rows) {
        List<Long> ends = rows.stream().map(row -> (Long) row.get(2)).toList();
        assertEquals(ends.stream().sorted().toList(), ends);
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    private static List<List<Object>> expected(Keys keys, List<List<Object>> packets, Oracle oracle) {
        List<List<Object>> inOrder = new ArrayList<>(packets);
        inOrder.sort(Timed.IN_ORDER);
        if (keys.isNone()) {
            return oracle.windows(inOrder).stream().map(found -> found.row(null)).toList();
        }
        return inOrder.stream().map(Timed::key).distinct().flatMap(key -> oracle
                .windows(inOrder.stream().filter(row -> Objects.equals(Timed.key(row), key)).toList()).stream()
                .map(found -> found.row(key))).toList();
    }

    private static Keys keys(Random random) {
        return random.nextInt(3) == 0 ? Keys.none() : Timed.BY_K;
    }

    @Property(tries = 300)
    void sessions(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long gap = 1 + random.nextInt(8);
        Keys keys = keys(random);
        hold(random, keys, () -> new SessionAggregate(Timed.ORDER, gap, keys, partition -> new Collected()), group -> {
            List<Found> found = new ArrayList<>();
            List<List<Object>> session = new ArrayList<>();
            for (int k = 0; k < group.size(); k++) {
                session.add(group.get(k));
                if (k + 1 == group.size() || Timed.time(group.get(k + 1)) - Timed.time(group.get(k)) >= gap) {
                    found.add(new Found(Timed.time(session.get(0)), Timed.time(group.get(k)) + gap, session));
                    session = new ArrayList<>();
                }
            }
            return found;
        });
    }

    @Property(tries = 300)
    void counts(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        int size = 1 + random.nextInt(6);
        int slide = 1 + random.nextInt(size);
        Keys keys = keys(random);
        Window.Count window = new Window.Count(size, slide);
        hold(random, keys, () -> new CountAggregate(Timed.ORDER, window, keys, partition -> new Collected()), group -> {
            List<Found> found = new ArrayList<>();
            for (int k = 0; k + size <= group.size(); k += slide) {
                List<List<Object>> packets = group.subList(k, k + size);
                found.add(new Found(Timed.time(packets.get(0)), Timed.time(packets.get(size - 1)) + 1, packets));
            }
            return found;
        });
    }

    /** By {@code v}, with steps backwards; a packet is late if a greater one has ended all its windows. */
    @Property(tries = 300)
    void progress(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(12);
        Windows windows = new Windows(size, random.nextBoolean() ? size : 1 + random.nextInt((int) size), 0);
        Keys keys = keys(random);
        int back = random.nextInt(3) * 5;
        ToLongFunction<List<Object>> value = row -> ((Long) row.get(V)) - (Math.floorMod((Long) row.get(V), 4) == 0 ? back : 0);
        Compiled<Projection> compiled = partition -> (inputs, out) -> {
            long v = inputs[0].getLong(V);
            out.setLong(0, v - (Math.floorMod(v, 4) == 0 ? back : 0));
        };
        List<Step> steps = Timed.stream(random, 1);
        List<List<Object>> late = new ArrayList<>(Timed.packets(steps, 0, true));
        try (OperatorHarness harness = Timed.room(harness(() -> new ProgressAggregate(Timed.ORDER,
                new ProgressAggregate.Values(compiled, windows), keys, partition -> new Collected())), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> rows = expected(keys, Timed.packets(steps, 0, false), group -> {
                TreeMap<Long, List<List<Object>>> open = new TreeMap<>();
                List<Found> found = new ArrayList<>();
                long greatest = Long.MIN_VALUE;
                long last = 0;
                for (List<Object> row : group) {
                    long at = value.applyAsLong(row);
                    while (!open.isEmpty() && open.firstKey() + size <= at) {
                        found.add(found(open.pollFirstEntry().getValue(), Timed.time(row) + 1));
                    }
                    greatest = Math.max(greatest, at);
                    boolean taken = false;
                    for (long from = windows.lastStart(at); from + size > at; from -= windows.slide()) {
                        if (from + size > greatest) {
                            taken = true;
                            open.computeIfAbsent(from, none -> new ArrayList<>()).add(row);
                        }
                    }
                    last = taken ? Timed.time(row) : last;
                    if (!taken) {
                        late.add(row);
                    }
                }
                for (List<List<Object>> packets : open.values()) {
                    found.add(found(packets, last + 1));
                }
                return found;
            });
            assertEquals(sorted(rows), sorted(harness.rows(0)), windows + " " + back + " " + steps);
            assertEquals(sorted(late), sorted(harness.rows(1)));
            assertEquals(late.size(), harness.lateCount);
        }
    }

    private static Found found(List<List<Object>> packets, long end) {
        return new Found(Timed.time(packets.get(0)), end, packets);
    }

    @Property(tries = 300)
    void trailingCounts(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        int size = 1 + random.nextInt(20);
        Keys keys = keys(random);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(() -> new TrailingCountAggregate(Timed.ORDER, size, keys,
                partition -> new Collected())), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> inOrder = new ArrayList<>(Timed.packets(steps, 0, false));
            inOrder.sort(Timed.IN_ORDER);
            List<List<Object>> rows = new ArrayList<>();
            for (int k = 0; k < inOrder.size(); k++) {
                List<Object> row = inOrder.get(k);
                List<Object> all = inOrder.subList(0, k + 1).stream()
                        .filter(other -> keys.isNone() || Objects.equals(Timed.key(other), Timed.key(row)))
                        .map(other -> other.get(V)).toList();
                List<Object> last = all.subList(Math.max(0, all.size() - size), all.size());
                rows.add(Rows.row(keys.isNone() ? null : Timed.key(row), 0L, 0L, row.get(V), (long) last.size(),
                        last.toString()));
            }
            assertEquals(rows, harness.rows(0), size + " " + steps);
        }
    }

    private static Compiled<Predicate> every(int n, int rest) {
        return partition -> inputs -> inputs[0].getLong(V) % n == rest;
    }

    /** A packet that is a multiple, or with which the window has so many, or is so old. */
    private static Compiled<Predicate> closing(int multiple, long count, long ageMillis) {
        return partition -> inputs -> inputs[0].getLong(V) % multiple == 0 || inputs[1].getLong(0) >= count
                || inputs[1].getLong(1) >= ageMillis;
    }

    @Property(tries = 300)
    void controls(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        int opens = 1 + random.nextInt(3);
        int closes = 1 + random.nextInt(5);
        long most = random.nextBoolean() ? NEVER : 1 + random.nextInt(20);
        Keys keys = keys(random);
        boolean asks = random.nextBoolean();
        long count = asks ? 1 + random.nextInt(4) : Long.MAX_VALUE;
        long age = asks ? random.nextInt(3) : Long.MAX_VALUE;
        Closing closing = new Closing(closes, count, age);
        ControlAggregate.Borders borders = new ControlAggregate.Borders(every(opens, 0),
                asks ? closing(closes, count, age) : every(closes, 0), asks, most);
        Supplier<Operator> operator = () -> new ControlAggregate(Timed.ORDER, borders, keys, partition -> new Collected());
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(operator), random).open()) {
            Timed.play(harness, steps, random);
            assertEquals(sorted(expected(keys, Timed.packets(steps, 0, false), group -> controlled(group, opens, closing, most))),
                    sorted(harness.rows(0)), steps::toString);
        }
    }

    /** @param age milliseconds */
    private record Closing(int multiple, long count, long age) {
        boolean isAt(List<List<Object>> open, List<Object> packet) {
            return (Long) packet.get(V) % multiple == 0 || open.size() >= count
                    || (Timed.time(packet) - Timed.time(open.get(0))) / 1000 >= age;
        }
    }

    private static List<Found> controlled(List<List<Object>> group, int opens, Closing closing, long most) {
        List<Found> found = new ArrayList<>();
        List<List<Object>> open = null;
        for (List<Object> packet : group) {
            long time = Timed.time(packet);
            if (open != null && most != NEVER && time - Timed.time(open.get(0)) >= most) {
                found.add(new Found(Timed.time(open.get(0)), Timed.time(open.get(0)) + most, open));
                open = null;
            }
            if (open == null && (Long) packet.get(V) % opens == 0) {
                open = new ArrayList<>();
            } else if (open == null) {
                continue;
            }
            open.add(packet);
            if (closing.isAt(open, packet)) {
                found.add(new Found(Timed.time(open.get(0)), time + 1, open));
                open = null;
            }
        }
        if (open != null) {
            long start = Timed.time(open.get(0));
            long last = Timed.time(open.get(open.size() - 1));
            found.add(new Found(start, most == NEVER ? last + 1 : start + most, open));
        }
        return found;
    }

    @Test
    void aBadPacketIsInNoWindowAndDoesNotMoveIts() throws Exception {
        try (OperatorHarness harness = harness(() -> new SessionAggregate(Timed.ORDER, 5, Timed.BY_K,
                partition -> new Collected())).skippingBadRecords().open()) {
            harness.feedRow(0, 0L, null, "a", 1L);
            harness.feedRow(0, 4L, null, "a", Collected.BAD);
            harness.feedRow(0, 6L, null, "a", 2L);
            harness.end();
            assertEquals(List.of("[1]", "[2]"), harness.rows(0).stream().map(row -> row.get(5)).toList());
        }
    }

    @Test
    void aSessionThatEndsAfterTimeIsAnError() throws Exception {
        try (OperatorHarness harness = harness(() -> new SessionAggregate(Timed.ORDER, 10, Timed.BY_K,
                partition -> new Collected())).skippingBadRecords().open()) {
            harness.feedRow(0, Long.MAX_VALUE - 10, null, "a", 1L);
            harness.feedRow(0, Long.MAX_VALUE - 9, null, "a", 2L);
            harness.end();
            assertEquals(List.of("[1]"), harness.rows(0).stream().map(row -> row.get(5)).toList());
        }
    }

    /** There is no time behind the last one, so a window that ends with it has it as its end. */
    @Test
    void aWindowMayEndWithTheLastTimeOfAll() throws Exception {
        try (OperatorHarness harness = harness(() -> new CountAggregate(Timed.ORDER, new Window.Count(1, 1), Timed.BY_K,
                partition -> new Collected())).open()) {
            harness.feedRow(0, Long.MAX_VALUE, null, "a", 1L).end();
            assertEquals(List.of(Rows.row("a", Long.MAX_VALUE, Long.MAX_VALUE, null, 1L, "[1]")), harness.rows(0));
        }
    }
}
