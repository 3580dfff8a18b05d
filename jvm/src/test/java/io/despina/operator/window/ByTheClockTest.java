package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.join.JoinOptions;
import io.despina.operator.join.WindowJoin;
import io.despina.operator.keyed.Absence;
import io.despina.operator.keyed.PacketRanks;
import io.despina.operator.keyed.Sort;
import io.despina.operator.keyed.Top;
import io.despina.operator.order.Keys;
import io.despina.operator.order.WallTime;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.SortKey;
import io.despina.packet.Type.Simple;
import io.despina.spec.Clock;
import io.despina.spec.Matching;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Operators by the wall clock give the rows that they give by event time where each packet's is the instant at which it was
 * taken, and the watermark the clock. By event time they have oracles of their own.
 */
class ByTheClockTest {
    private static final Schema ABSENT = Schema.of(new Column("since", Simple.TIMESTAMP, false),
            new Column("at", Simple.TIMESTAMP, false), new Column("v", Simple.BIGINT, false));
    private static final Projection SELECT = (inputs, out) -> {
        out.setColumn(0, inputs[1], 0);
        out.setColumn(1, inputs[1], 1);
        out.setColumn(2, inputs[0], 3);
    };

    private static final Schema PAIRS = Schema.of(new Column("start", Simple.TIMESTAMP, false),
            new Column("v", Simple.BIGINT, true), new Column("other_v", Simple.BIGINT, true));
    private static final Projection PAIR = (inputs, out) -> {
        out.setColumn(0, inputs[2], 0);
        out.setColumn(1, inputs[0], 3);
        out.setColumn(2, inputs[1], 3);
    };
    private static final PacketRanks RANKS = new PacketRanks(Schema.of(new Column("by_0", Simple.BIGINT, false)),
            Timed.columns(3), List.of(), List.of(new SortKey(0, true, true)));

    private static OperatorHarness.Setup windows(boolean byClock, Windows windows, Keys keys) {
        return aggregate(() -> new WindowAggregate(byClock ? WallTime.COLUMN : 0, windows, keys, p -> new Collected()));
    }

    private static OperatorHarness.Setup fired(boolean byClock, Window.Fired fired, Keys keys) {
        return aggregate(() -> new FiringAggregate(byClock ? WallTime.COLUMN : 0, fired, keys, p -> new Collected(true)));
    }

    private static OperatorHarness.Setup fired(boolean byClock, Window.FiredSession fired, Keys keys) {
        return aggregate(() -> new FiringSessions(byClock ? WallTime.COLUMN : 0, fired, keys, p -> new Collected(true)));
    }

    private static OperatorHarness.Setup sessions(boolean byClock, long gap, Keys keys) {
        return aggregate(() -> new SessionAggregate(order(byClock), gap, keys, p -> new Collected()));
    }

    private static OperatorHarness.Setup absence(boolean byClock, long within, long repeat, Keys keys) {
        return OperatorHarness.of(() -> new Absence(order(byClock), new Absence.Options(keys, within, repeat, p -> SELECT,
                List.of(3)))).inputs(Timed.SCHEMA).outputs(ABSENT, Timed.SCHEMA, Timed.SCHEMA);
    }

    private static OperatorHarness.Setup top(boolean byClock, Windows windows, Keys keys) {
        Top.Options options = new Top.Options(windows, keys, 2, RANKS, null);
        return OperatorHarness.of(() -> new Top(byClock ? WallTime.COLUMN : 0, options)).inputs(Timed.SCHEMA)
                .outputs(Timed.SCHEMA, Timed.SCHEMA);
    }

    private static OperatorHarness.Setup sort(boolean byClock, Windows windows, Keys keys) {
        Sort.Options options = new Sort.Options(Windows.tumbling(windows.size(), windows.offset()), keys, RANKS, null);
        return OperatorHarness.of(() -> new Sort(byClock ? WallTime.COLUMN : 0, options)).inputs(Timed.SCHEMA)
                .outputs(Timed.SCHEMA, Timed.SCHEMA);
    }

    private static OperatorHarness.Setup join(boolean byClock, Windows windows, Keys keys) {
        JoinOptions.Side side = new JoinOptions.Side(order(byClock), keys);
        JoinOptions options = new JoinOptions(side, side, Timed.SCHEMA.allNullable(), null, p -> PAIR, JoinOptions.How.FULL);
        Matching.SameWindow matching = new Matching.SameWindow(windows, byClock ? Clock.PROCESSING : Clock.EVENT);
        return OperatorHarness.of(() -> new WindowJoin(options, matching)).inputs(Timed.SCHEMA, Timed.SCHEMA)
                .outputs(PAIRS, Timed.SCHEMA);
    }

    private static OperatorHarness.Setup aggregate(Supplier<Operator> operators) {
        return OperatorHarness.of(operators).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private static EventOrder order(boolean byClock) {
        return byClock ? null : Timed.ORDER;
    }

    private static OperatorHarness.Setup any(boolean byClock, Random random) {
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        long size = 1 + random.nextInt(24);
        Windows windows = new Windows(size, random.nextInt(3) == 0 ? size : 1 + random.nextInt((int) size),
                random.nextInt(41) - 20);
        return switch (random.nextInt(8)) {
            case 0 -> windows(byClock, windows, keys);
            case 1 -> fired(byClock, new Window.Fired(windows, random.nextBoolean() ? NEVER
                    : 1 + random.nextInt(10), random.nextInt(3) == 0, 0), keys);
            case 2 -> sessions(byClock, size, keys);
            case 3 -> fired(byClock, new Window.FiredSession(size, random.nextBoolean() ? NEVER
                    : 1 + random.nextInt(10), random.nextInt(3) == 0, 0), keys);
            case 4 -> top(byClock, windows, keys);
            case 5 -> sort(byClock, windows, keys);
            case 6 -> join(byClock, windows, keys);
            default -> absence(byClock, size, random.nextBoolean() ? NEVER : 1 + random.nextInt(9), keys);
        };
    }

    /** Whether no row depends on when the job was down: not so where rows leave before a window closes. */
    private static boolean mayBeDown(Operator operator) {
        return !(operator instanceof Firing || operator instanceof Absence);
    }

    @Property(tries = 600)
    void eachPacketHasTheInstantAtWhichItIsTaken(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        try (OperatorHarness clocked = Timed.room(any(true, new Random(seed)), random).open();
                OperatorHarness timed = any(false, new Random(seed)).open()) {
            long now = random.nextInt(50);
            timed.watermark(now);
            for (long v = 0; v < 60; v++) {
                long before = now;
                now += random.nextInt(3) * random.nextInt(8);
                if (random.nextInt(20) == 0) {
                    if (mayBeDown(clocked.operator())) {
                        clocked.now = now * 1_000;      // the job was down
                        before = now - 1;
                    }
                    clocked.restart();
                }
                clocked.passTo(now);
                for (long moment = before + 1; moment <= now; moment++) {
                    timed.watermark(moment);
                }
                List<List<Object>> packets = new ArrayList<>();
                for (int n = random.nextInt(4); n > 0; n--) {
                    packets.add(Rows.row(now, 0, "key" + random.nextInt(3), v));
                }
                int port = clocked.operator() instanceof WindowJoin ? random.nextInt(2) : 0;
                clocked.feed(port, packets);
                timed.feed(port, packets);
            }
            clocked.end();
            timed.end();
            assertEquals(sorted(timed.rows(0)), sorted(clocked.rows(0)));
            if (clocked.operator() instanceof Absence) {
                assertEquals(timed.rows(2), clocked.rows(2));
            }
            assertEquals(0, clocked.lateCount);
        }
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    private static OperatorHarness feed(OperatorHarness harness, long v) throws Exception {
        return harness.feedRow(0, 0L, 0, "a", v);
    }

    @Test
    void aWindowFiresThoughNoPacketComes() throws Exception {
        try (OperatorHarness harness = windows(true, Windows.tumbling(10, 0), Timed.BY_K).open()) {
            feed(harness.passTo(7), 1);
            assertEquals(10, harness.wakeAt);
            assertEquals(List.of(), harness.passTo(9).rows(0));
            assertEquals(List.of(Rows.row("a", 0L, 10L, null, 1L, "[1]")), harness.passTo(10).rows(0));
            assertEquals(Long.MAX_VALUE, harness.wakeAt);
        }
    }

    @Test
    void watermarksAreNotTheClock() throws Exception {
        try (OperatorHarness harness = windows(true, Windows.tumbling(10, 0), Timed.BY_K).open()) {
            feed(harness.passTo(3), 1).watermark(1_000).watermark(Long.MAX_VALUE);
            assertEquals(List.of(), harness.rows(0));
            assertEquals(1, feed(harness, 2).end().rows(0).size());
        }
    }

    @Test
    void afterARestoreWhatIsDueLeavesAtOnce() throws Exception {
        try (OperatorHarness harness = sessions(true, 10, Timed.BY_K).open()) {
            feed(harness.passTo(7), 1);
            harness.now = 500_000;
            harness.restart();
            assertEquals(17, harness.wakeAt);
            assertEquals(List.of(Rows.row("a", 7L, 17L, null, 1L, "[1]")), harness.passTo(500).rows(0));
        }
    }

    @Test
    void aClockThatIsBehindAfterARestoreStandsStill() throws Exception {
        for (boolean isWindow : List.of(true, false)) {
            OperatorHarness.Setup setup = isWindow ? windows(true, Windows.tumbling(10, 0), Timed.BY_K)
                    : sessions(true, 10, Timed.BY_K);
            try (OperatorHarness harness = setup.open()) {
                feed(harness.passTo(25), 1);
                harness.now = 3_000;
                harness.restart();
                feed(harness, 2).passTo(100);
                assertEquals(List.of(Rows.row("a", isWindow ? 20L : 25L, isWindow ? 30L : 35L, null, 2L, "[1, 2]")),
                        harness.rows(0));
            }
        }
    }

    @Test
    void aBadPacketIsInNoWindow() throws Exception {
        try (OperatorHarness harness = windows(true, new Windows(20, 10, 0), Timed.BY_K).skippingBadRecords().open()) {
            feed(feed(harness.passTo(5), Collected.BAD), 1).end();
            assertEquals(List.of("a bad packet"), harness.badRecords);
            assertEquals(List.of("[1]", "[1]"), harness.rows(0).stream().map(row -> row.get(5)).toList());
        }
    }

    @Test
    void ofTheRowsMissedWhileTheJobWasDownTheLastIsGiven() throws Exception {
        try (OperatorHarness harness = absence(true, 10, 5, Timed.BY_K).open()) {
            feed(harness.passTo(7), 1);
            harness.now = 1_000_000;
            assertEquals(List.of(Rows.row(7L, 17L, 1L), Rows.row(7L, 997L, 1L)), harness.restart().passTo(1_000).rows(0));
            assertEquals(1_003, harness.wakeAt);
        }
    }

    @Test
    void aDeadManIsReportedThoughNothingElseComes() throws Exception {
        try (OperatorHarness harness = absence(true, 10, 5, Timed.BY_K).open()) {
            feed(harness.passTo(7), 1).passTo(17);
            assertEquals(List.of(), harness.rows(0));
            assertEquals(List.of(Rows.row(7L, 17L, 1L), Rows.row(7L, 22L, 1L)), harness.passTo(26).rows(0));
            feed(harness, 2);
            assertEquals(List.of(Rows.row(0L, 0, "a", 2L)), harness.rows(2));
            assertEquals(37, harness.wakeAt);
        }
    }
}
