package io.despina.operator.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.window.KeysAlone;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Windows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Whose clocks are those of keys. {@link TopTest} has the oracle of common time. */
class KeyedTopTest {
    private static final Schema ROW = Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(3),
            new Column("end", Simple.TIMESTAMP, false), Timed.SCHEMA.column(1));

    private static Operator top(Windows windows, Keys keys, int n, PacketRanks ranks) {
        Top.Options options = new Top.Options(windows, keys, n, ranks, partition -> (inputs, out) -> {
            out.setColumn(0, inputs[0], 2);
            out.setColumn(1, inputs[0], 3);
            out.setColumn(2, inputs[1], 1);
            out.setColumn(3, inputs[0], 1);
        });
        return keys.clocks() == null ? new Top(0, options) : new KeyedTop(0, options);
    }

    private static OperatorHarness.Setup harness(Windows windows, Keys keys, int n) {
        return OperatorHarness.of(() -> top(windows, keys, n, TopTest.ranks(true, false))).inputs(Timed.SCHEMA)
                .outputs(ROW, Timed.SCHEMA);
    }

    private static Keys clocked(long delay) {
        return Timed.BY_K.with(new Clocks(Timed.BY_K, List.of(0), delay));
    }

    @Property(tries = 400)
    void anyWindowsOfAnyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(24);
        Windows windows = new Windows(size, random.nextInt(3) == 0 ? size : 1 + random.nextInt((int) size),
                random.nextInt(41) - 20);
        int n = 1 + random.nextInt(4);
        PacketRanks ranks = TopTest.ranks(random.nextBoolean(), random.nextBoolean());
        KeysAlone.compare(keys -> OperatorHarness.of(() -> top(windows, keys, n, ranks)).inputs(Timed.SCHEMA)
                .outputs(ROW, Timed.SCHEMA), 2, size, random);
    }

    @Property(tries = 200)
    void windowsOfAKeyCloseInTheOrderOfTheirEnds(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long delay = random.nextInt(12);
        Keys groups = new Keys(Schema.of(Timed.SCHEMA.column(1), Timed.SCHEMA.column(2)), Timed.columns(1, 2), 256)
                .with(new Clocks(Timed.BY_K, List.of(1), delay));
        try (OperatorHarness harness = harness(new Windows(9, 4, 1), groups, 2).open()) {
            Timed.playWhole(harness, Timed.perKey(random, delay), random);
            Map<Object, Long> ends = new HashMap<>();
            for (List<Object> row : harness.rows(0)) {
                long end = (Long) row.get(2);
                assertTrue(ends.getOrDefault(row.get(0), Long.MIN_VALUE) <= end, harness.rows(0).toString());
                ends.put(row.get(0), end);
            }
        }
    }

    @Test
    void aKeyThatComesBackIsOnTimeAndItsWindowsCloseAtOnce() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), clocked(2), 1).open()) {
            harness.feedRow(0, 1L, 3, "a", 1L).feedRow(0, 500L, 1, "b", 2L).feedRow(0, 2L, 3, "a", 3L)
                    .feedRow(0, 11L, 3, "a", 4L);
            assertEquals(List.of(), harness.rows(0));
            harness.restart().feedRow(0, 12L, 3, "a", 5L);
            assertEquals(List.of(Rows.row("a", 1L, 10L, 3)), harness.rows(0));

            harness.restart().feedRow(0, 480L, 1, "b", 6L).feedRow(0, 9L, 3, "a", 7L).feedRow(0, 10L, 3, "a", 8L);
            assertEquals(List.of(Rows.row(480L, 1, "b", 6L), Rows.row(9L, 3, "a", 7L)), harness.rows(1));
            harness.watermark(Long.MAX_VALUE);
            assertEquals(List.of(Rows.row("a", 1L, 10L, 3), Rows.row("a", 8L, 20L, 3), Rows.row("b", 2L, 510L, 1)),
                    harness.rows(0));
        }
    }

    @Test
    void watermarksOfTheStreamDoNotCount() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), clocked(0), 1).open()) {
            harness.feedRow(0, 1L, 1, "a", 1L).watermark(100);
            assertEquals(List.of(), harness.rows(0));
            assertEquals(0, harness.feedRow(0, 2L, 1, "a", 2L).lateCount);
        }
    }

    @Test
    void aBadRecordMovesNoClock() throws Exception {
        try (OperatorHarness harness = harness(new Windows(10, 3, 0), clocked(0), 1).skippingBadRecords().open()) {
            harness.feedRow(0, Long.MAX_VALUE, 1, "a", 1L).feedRow(0, 5L, 1, "a", 2L);
            assertEquals(1, harness.badRecords.size());
            assertEquals(0, harness.lateCount);
        }
    }

    @Test
    void whatIsKeptGoesWithTheWindows() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(1_000, 0), clocked(0), 2).open()) {
            harness.feedRow(0, 0L, 1, "a", 0L);
            long one = harness.stateBytes;
            for (long v = 1; v < 500; v++) {
                harness.feedRow(0, v, 1, "a", v);
            }
            long before = harness.stateBytes;
            assertTrue(one < before, one + " " + before);
            harness.feedRow(0, 1_000L, 1, "a", 500L);
            assertEquals(2, harness.rows(0).size());
            assertEquals(one, harness.stateBytes);
        }
    }
}
