package io.despina.operator.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StreamLookupTest {
    private static final Schema TABLE = Schema.of(new Column("k", Simple.STRING, true), new Column("n", Simple.INT, true));
    private static final Schema OUT = Schema.of(new Column("v", Simple.BIGINT, false), new Column("n", Simple.INT, true));
    private static final Compiled<Projection> ROW = partition -> (inputs, out) -> {
        out.setColumn(0, inputs[0], 3);
        out.setColumn(1, inputs[1], 1);
    };
    private static final Compiled<Predicate> BELOW_ZERO = partition -> inputs -> {
        if (inputs[0].isNull(1)) {
            throw new IllegalArgumentException("neither kept nor deleted");
        }
        return inputs[0].getInt(1) < 0;
    };
    private static final long MEMORY = 4_000;

    private static OperatorHarness.Setup setup(boolean left, long mostRows, boolean waits) {
        StreamLookup.Kept kept = new StreamLookup.Kept(new Keys(Timed.KEY, Timed.columns(0), 256), BELOW_ZERO, mostRows, waits);
        return OperatorHarness.of(() -> new StreamLookup(new Lookup.Options(Timed.BY_K, TABLE, ROW, left), kept))
                .inputs(Timed.SCHEMA, TABLE).outputs(OUT);
    }

    private static OperatorHarness feed(OperatorHarness harness, String k, long v) throws Exception {
        return harness.feedRow(0, v, 1, k, v);
    }

    private static OperatorHarness row(OperatorHarness harness, String k, Integer n) throws Exception {
        return harness.feedRow(1, k, n);
    }

    @Test
    void aPacketMeetsTheTableAsItIsWhenItArrives() throws Exception {
        try (OperatorHarness harness = setup(true, 10, false).open()) {
            feed(harness, "a", 1);
            row(row(harness, "a", 10), "b", 20);
            feed(feed(harness, "a", 2), null, 3);
            row(harness, "a", 11);
            feed(harness, "a", 4);
            row(harness, "a", -1);
            row(harness, "c", -1);
            feed(feed(feed(harness, "a", 5), "b", 6), "c", 7).end();
            assertEquals(List.of(Rows.row(1L, null), Rows.row(2L, 10), Rows.row(3L, null), Rows.row(4L, 11), Rows.row(5L, null),
                    Rows.row(6L, 20), Rows.row(7L, null)), harness.rows(0));
        }
    }

    @Test
    void innerLeavesOutThoseWithoutARowWhateverRoomThereIs() throws Exception {
        try (OperatorHarness harness = setup(false, 10, false).room(1, 1).open()) {
            row(row(harness, "a", 10), null, 5);
            harness.feed(0, List.of(Rows.row(0L, 1, "a", 1L), Rows.row(0L, 1, null, 2L), Rows.row(0L, 1, "b", 3L),
                    Rows.row(0L, 1, "a", 4L)));
            assertEquals(List.of(Rows.row(1L, 10), Rows.row(4L, 10)), harness.rows(0));
        }
    }

    @Test
    void aRowThatATableHasNoRoomForIsABadRecord() throws Exception {
        try (OperatorHarness harness = setup(true, 1, false).skippingBadRecords().open()) {
            row(row(row(row(harness, "a", 1), "b", 2), "a", 3), "c", null);
            feed(feed(harness, "a", 1), "b", 2).end();
            assertEquals(List.of("the table has 1 rows, which is `max_rows`, and this row has another key; let `delete_when` "
                    + "take rows away, or raise `max_rows`", "neither kept nor deleted"), harness.badRecords);
            assertEquals(List.of(Rows.row(1L, 3), Rows.row(2L, null)), harness.rows(0));
            row(row(harness, "a", -1), "b", 4);
            assertEquals(2, harness.badRecords.size());
        }
    }

    @Test
    void theTableIsStateAndCountsAsThat() throws Exception {
        try (OperatorHarness harness = setup(true, 10_000, false).memory(MEMORY).open()) {
            row(harness, "a", 1);
            assertTrue(harness.stateBytes > 0);
            feed(row(harness.restart(), "b", 2), "a", 1);
            assertEquals(List.of(Rows.row(1L, 1)), harness.rows(0));
            assertThrows(IllegalStateException.class, () -> {
                for (int k = 0; k < MEMORY; k++) {
                    row(harness, "k" + k, k);
                }
            });
        }
    }

    /** Ends the table's stream, and does what the operator wants to be called for. */
    private static void endTable(OperatorHarness harness) throws Exception {
        int woken = harness.wakes.get();
        harness.inputWatermark(1, Long.MAX_VALUE);
        assertEquals(woken + 1, harness.wakes.get());
        while (!harness.operator().timer(0)) {
            harness.release();     // makes room
        }
    }

    @Test
    void packetsWaitForTheEndOfTheTable() throws Exception {
        try (OperatorHarness harness = setup(true, 10, true).room(1, 1).open()) {
            feed(harness, "a", 1).watermark(5);
            row(feed(harness, "b", 6), "a", 1);
            harness.watermark(7);
            assertEquals(List.of(), harness.rows(0));
            assertTrue(harness.operator().timer(0), "it is not woken for the table alone");
            row(harness, "a", 2);
            assertEquals(2, harness.operator().held().packets());
            Map<String, byte[]> snapshot = harness.snapshot();
            endTable(harness);
            feed(harness, "a", 8);
            assertEquals(List.of(OperatorHarness.Event.watermark(Long.MIN_VALUE, false),
                    OperatorHarness.Event.watermark(Long.MIN_VALUE, false), OperatorHarness.Event.of(1L, 2),
                    OperatorHarness.Event.watermark(5, true), OperatorHarness.Event.of(6L, null),
                    OperatorHarness.Event.watermark(7, false), OperatorHarness.Event.of(8L, 2)), harness.events(0));
            harness.restart(snapshot);
            row(harness, "b", 3);
            endTable(harness);
            assertEquals(List.of(Rows.row(1L, 2), Rows.row(6L, 3)), harness.rows(0).subList(3, 5));
        }
    }

    @Test
    void idlenessWaitsForPacketsThatWait() throws Exception {
        OperatorHarness.Event idle = new OperatorHarness.Event(null, null, false, true);
        try (OperatorHarness harness = setup(true, 10, true).open()) {
            assertTrue(harness.operator().passesIdle(), "nothing waits");
            feed(harness, "a", 1);
            assertFalse(harness.operator().passesIdle());
            row(harness, "a", 1);
            endTable(harness);
            harness.release();
            assertEquals(List.of(OperatorHarness.Event.of(1L, 1), idle), harness.events(0));
            assertTrue(harness.operator().passesIdle());
        }
        try (OperatorHarness harness = setup(true, 10, true).open()) {
            feed(harness, "a", 1);
            assertFalse(harness.operator().passesIdle());
            feed(harness, "a", 2);
            endTable(harness);
            harness.release();
            assertFalse(harness.events(0).contains(idle), "more has come since");
        }
    }

    @Test
    void timeOfWaitingIsLatency() throws Exception {
        try (OperatorHarness harness = setup(true, 10, true).open()) {
            harness.now = 1_000;
            feed(feed(harness, "a", 1), "b", 2);
            harness.now = 5_000;
            feed(harness, "c", 3);
            harness.now = 9_000;
            Map<String, byte[]> snapshot = harness.snapshot();
            endTable(harness);
            harness.release();
            assertEquals(List.of(1_000L, 1_000L, 5_000L), harness.dues(0));
            harness.restart(snapshot);
            harness.now = 12_000;
            endTable(harness);
            harness.release();
            assertEquals(List.of(9_000L, 9_000L, 9_000L), harness.dues(0).subList(3, 6), "nobody has kept when they were due");
        }
    }

    @Test
    void packetsWithoutARowDoNotKeepTheThread() throws Exception {
        int many = 2_500;
        try (OperatorHarness harness = setup(false, 10, true).open()) {
            for (int k = 0; k < many; k++) {
                feed(harness, "a", k);
            }
            harness.inputWatermark(1, Long.MAX_VALUE);
            assertFalse(harness.operator().timer(0), "there is more to do");
            long held = harness.operator().held().packets();
            assertTrue(held > 0 && held < many, held + " are held");
            int calls = 1;
            for (; !harness.operator().timer(0); calls++) {
                assertTrue(calls < many);
            }
            assertEquals(0, harness.operator().held().packets());
        }
    }

    @Test
    void theEndOfAllLetsThemGo() throws Exception {
        try (OperatorHarness harness = setup(false, 10, true).open()) {
            row(feed(harness, "a", 1), "a", 1).end();
            assertEquals(List.of(Rows.row(1L, 1)), harness.rows(0));
            assertFalse(harness.operator().held().packets() > 0);
        }
    }
}
