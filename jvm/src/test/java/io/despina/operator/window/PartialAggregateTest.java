package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.AggregationPlan;
import io.despina.expr.ExpressionException;
import io.despina.expr.Expressions;
import io.despina.expr.WindowNames;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.spec.BucketMap;
import io.despina.spec.Windows;
import io.despina.state.Held;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Both parts of a divided aggregate, with several instances of each, held against sums by hand. */
class PartialAggregateTest {
    private static final int BUCKETS = 256;
    private static final AggregationPlan PLAN = plan();
    private static final Keys KEYS = Keys.of(PLAN.keys(), BUCKETS);

    private static AggregationPlan plan() {
        try {
            return Expressions.compiler(true, "UTC").aggregate(Timed.SCHEMA, List.of("k"), List.of("window.start AS s", "k",
                    "count(*) AS n", "sum(v) AS sum", "min(v) AS min", "max(v) AS max", "avg(v) AS mean", "bit_xor(v) AS bits",
                    "count(ord) FILTER (WHERE v % 2 = 0) AS even"), false, WindowNames.BOUNDS, List.of());
        } catch (ExpressionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param groups that a sender holds at most */
    private record Size(int senders, int receivers, int groups) {
    }

    /** A job by hand: senders, receivers, and the rows between them. */
    private static final class Job {
        private final List<OperatorHarness> senders = new ArrayList<>();
        private final List<OperatorHarness> receivers = new ArrayList<>();
        private final int[] taken;
        private final long[] watermarks;
        private final ToIntFunction<Packet> dealing = PartRows.dealing(KEYS).function();
        private int rows;

        Job(Windows windows, Size size, Random random) throws Exception {
            for (int k = 0; k < size.senders; k++) {
                senders.add(Timed.room(OperatorHarness.of(() -> new PartialAggregate(0, windows, KEYS, PLAN.compiled())
                        .holding(size.groups)).inputs(Timed.SCHEMA).outputs(PartRows.SCHEMA), random).open());
            }
            for (int k = 0; k < size.receivers; k++) {
                receivers.add(Timed.room(OperatorHarness
                        .of(() -> new WindowAggregate(0, windows, KEYS, PLAN.compiled()).ofParts())
                        .inputs(PartRows.SCHEMA).outputs(PLAN.result(), Timed.SCHEMA), random).open());
            }
            taken = new int[size.senders];
            watermarks = new long[size.senders];
            Arrays.fill(watermarks, Long.MIN_VALUE);
        }

        long least() {
            return Arrays.stream(watermarks).min().orElseThrow();
        }

        void packet(int sender, List<Object> packet) throws Exception {
            senders.get(sender).feed(0, List.of(packet));
            deal(sender);
        }

        void watermark(int sender, long watermark) throws Exception {
            long before = least();
            senders.get(sender).watermark(watermark);
            deal(sender);
            watermarks[sender] = watermark;
            if (least() > before) {
                for (OperatorHarness receiver : receivers) {
                    receiver.watermark(least());
                }
            }
        }

        private void deal(int sender) throws Exception {
            List<List<Object>> sent = senders.get(sender).rows(0);
            Packet view = new Packet(PartRows.SCHEMA.layout());
            for (; taken[sender] < sent.size(); taken[sender]++, rows++) {
                byte[] row = Rows.encode(PartRows.SCHEMA, List.of(sent.get(taken[sender])));
                view.wrap(row, 0, row.length);
                int bucket = Math.floorMod(dealing.applyAsInt(view), BUCKETS);
                receivers.get(BucketMap.owner(bucket, BUCKETS, receivers.size())).feed(0, List.of(sent.get(taken[sender])));
            }
        }

        /** A snapshot, and all begins anew with it. */
        void restart() throws Exception {
            for (int k = 0; k < senders.size(); k++) {
                senders.get(k).release();
                deal(k);
                assertEquals(List.of(), senders.get(k).operator().states());
                senders.get(k).restart();
                if (watermarks[k] > Long.MIN_VALUE) {
                    senders.get(k).watermark(watermarks[k]);     // what the stage before it goes on with
                }
            }
            for (OperatorHarness receiver : receivers) {
                receiver.restart();
            }
        }

        List<List<Object>> end() throws Exception {
            for (int k = 0; k < senders.size(); k++) {
                watermark(k, Long.MAX_VALUE);
            }
            List<List<Object>> all = new ArrayList<>();
            receivers.forEach(receiver -> all.addAll(receiver.rows(0)));
            return sorted(all);
        }

        int late() {
            return receivers.stream().mapToInt(receiver -> receiver.lateCount).sum();
        }
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    /** Each packet is judged by the least watermark when it is sent, as without parts. */
    private static final class ByHand {
        private final Windows windows;
        private final Map<Long, Map<String, List<List<Object>>>> groups = new TreeMap<>();
        private int late;

        ByHand(Windows windows) {
            this.windows = windows;
        }

        void take(List<Object> packet, long watermark) {
            boolean taken = false;
            for (long start = windows.lastStart(Timed.time(packet)); start + windows.size() > Timed.time(packet);
                    start -= windows.slide()) {
                if (start + windows.size() > watermark) {
                    taken = true;
                    groups.computeIfAbsent(start, s -> new TreeMap<>())
                            .computeIfAbsent(String.valueOf(Timed.key(packet)), k -> new ArrayList<>()).add(packet);
                }
            }
            late += taken ? 0 : 1;
        }

        List<List<Object>> rows() {
            List<List<Object>> rows = new ArrayList<>();
            groups.forEach((start, keys) -> keys.values().forEach(all -> rows.add(row(start, all))));
            return sorted(rows);
        }

        private static List<Object> row(long start, List<List<Object>> all) {
            long[] values = all.stream().mapToLong(packet -> (Long) packet.get(3)).toArray();
            long sum = LongStream.of(values).sum();
            return Rows.row(start, Timed.key(all.get(0)), (long) all.size(), sum, LongStream.of(values).min().getAsLong(),
                    LongStream.of(values).max().getAsLong(), (double) sum / all.size(),
                    LongStream.of(values).reduce(0, (a, b) -> a ^ b),
                    all.stream().filter(p -> p.get(1) != null && (Long) p.get(3) % 2 == 0).count());
        }
    }

    @Property(tries = 100)
    void likeSumsByHand(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long[][] shapes = {{10, 10}, {1, 1}, {20, 10}, {30, 10}, {25, 10}, {60, 40}, {34, 2}};
        long[] shape = shapes[random.nextInt(shapes.length)];
        Windows windows = new Windows(shape[0], shape[1], random.nextInt(41) - 20);
        int senders = 1 + random.nextInt(3);
        Job job = new Job(windows, new Size(senders, 1 + random.nextInt(4), 1 + random.nextInt(6)), random);
        ByHand expected = new ByHand(windows);
        List<String> steps = new ArrayList<>();
        List<List<Timed.Step>> streams = new ArrayList<>();
        for (int k = 0; k < senders; k++) {
            streams.add(new ArrayList<>(Timed.stream(random, 1)));
        }
        while (streams.stream().anyMatch(stream -> !stream.isEmpty())) {
            int sender = random.nextInt(senders);
            if (random.nextInt(20) == 0) {
                job.restart();
                steps.add("restart");
            }
            if (streams.get(sender).isEmpty()) {
                continue;
            }
            Timed.Step step = streams.get(sender).remove(0);
            steps.add(sender + " " + step);
            if (step.row() == null) {
                job.watermark(sender, step.watermark());
            } else {
                expected.take(step.row(), job.least());
                job.packet(sender, step.row());
            }
        }
        assertEquals(expected.rows(), job.end(), windows + " " + steps);
        assertEquals(expected.late, job.late(), windows + " " + steps);
    }

    private static List<Object> packet(long time, Object key, long v) {
        return Rows.row(time, 0, key, v);
    }

    private static Job one(int most) throws Exception {
        return new Job(Windows.tumbling(10, 0), new Size(1, 1, most), new Random(1));
    }

    @Test
    void fewRowsTravelIfGroupsAreFew() throws Exception {
        Job job = one(100);
        for (long v = 0; v < 900; v++) {
            job.packet(0, packet(v % 10, "k" + v % 3, v));
        }
        assertEquals(0, job.rows);
        job.watermark(0, 9);
        assertEquals(0, job.rows);
        job.watermark(0, 10);
        assertEquals(3, job.rows);
        assertEquals(List.of(300L, 300L, 300L), job.end().stream().map(row -> row.get(2)).toList());
    }

    @Test
    void aFullTableIsSent() throws Exception {
        Job job = one(2);
        for (long v = 0; v < 7; v++) {
            job.packet(0, packet(0, "k" + v, v));
        }
        assertEquals(6, job.rows);
        assertEquals(new Held(1, 1), job.senders.get(0).operator().held());
        assertEquals(6, job.receivers.stream().mapToLong(each -> each.operator().held().packets()).sum());
        assertEquals(7, job.end().size());
    }

    @Test
    void aLatePacketLeavesAtOnceAndCounts() throws Exception {
        Job job = one(100);
        job.watermark(0, 10);
        job.packet(0, packet(3, "k", 1));
        job.packet(0, packet(13, "k", 1));
        assertEquals(1, job.rows);
        assertEquals(1, job.late());
        assertEquals(1, job.end().size());
    }

    @Test
    void packetsAfterABarrierOrIdlenessLeaveAtOnceUntilAWatermark() throws Exception {
        Job job = one(100);
        job.packet(0, packet(0, "k", 1));
        assertEquals(0, job.rows);
        job.senders.get(0).release();
        job.packet(0, packet(0, "k", 2));
        assertEquals(2, job.rows);
        job.packet(0, packet(0, "k", 3));
        assertEquals(3, job.rows);
        job.watermark(0, 1);
        job.packet(0, packet(0, "k", 4));
        assertEquals(3, job.rows);
        assertEquals(10L, job.end().get(0).get(3));
    }

    @Test
    void longKeysAreNotHeldInGreatNumbers() throws Exception {
        Job job = one(1000);
        for (long v = 0; v < 9; v++) {
            job.packet(0, packet(0, v + "k".repeat(1 << 19), v));
        }
        assertEquals(8, job.rows);
        assertEquals(9, job.end().size());
    }

    @Test
    void packetsPassSinglyWhereGroupsAreMany() throws Exception {
        Job job = one(16);
        for (long v = 0; v < 1024; v++) {
            job.packet(0, packet(0, "k" + v, v));
        }
        job.packet(0, packet(0, "same", 1));
        assertEquals(1025, job.rows);
        job.packet(0, packet(0, "same", 1));
        assertEquals(1026, job.rows);
        assertEquals(1025, job.end().size());
    }

    @Test
    void packetsWithoutATimeAreInNoWindow() throws Exception {
        AggregationPlan plan = Expressions.compiler(true, "UTC").aggregate(Timed.SCHEMA, List.of("k"),
                List.of("count(*) AS n"), false, WindowNames.BOUNDS, List.of());
        try (OperatorHarness sender = OperatorHarness.of(() -> new PartialAggregate(1, Windows.tumbling(10, 0),
                Keys.of(plan.keys(), BUCKETS), plan.compiled())).inputs(Timed.SCHEMA).outputs(PartRows.SCHEMA).open()) {
            assertTrue(sender.feed(0, List.of(Rows.row(0L, null, "k", 1L))).end().rows(0).isEmpty());
        }
    }

    @Test
    void onlyWhatCanBeMergedInAnyOrderIsMergeable() throws Exception {
        Map<String, Boolean> functions = new TreeMap<>(Map.of("count(*)", true, "stddev(v)", true, "corr(v, ord)", true,
                "min(ts)", true, "first(v)", false, "max(k)", false, "count(DISTINCT v)", false, "collect_list(v)", false,
                "sum(v) FILTER (WHERE ord > 0)", true));
        for (Map.Entry<String, Boolean> function : functions.entrySet()) {
            AggregationPlan plan = Expressions.compiler(true, "UTC").aggregate(Timed.SCHEMA, List.of("k"),
                    List.of(function.getKey() + " AS a"), false, WindowNames.BOUNDS, List.of());
            assertEquals(function.getValue(), plan.mergeable(), function.getKey());
        }
    }
}
