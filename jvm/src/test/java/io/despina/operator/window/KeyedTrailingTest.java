package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Which rows leave is in {@link ClockOfEachKeyTest}. */
class KeyedTrailingTest {
    /** Groups within keys: several share a clock. */
    private static final Keys BY_K_AND_ORD = new Keys(Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(1)),
            Timed.columns(2, 1), 256);

    private static OperatorHarness.Setup harness(long size, Keys keys, Clocks clocks) {
        return OperatorHarness.of(() -> new KeyedTrailing(Timed.ORDER, size, keys.with(clocks), partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    @Property(tries = 200)
    void rowsOfAKeyLeaveInEventOrder(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long delay = random.nextInt(12);
        List<Timed.Step> steps = Timed.perKey(random, delay);
        try (OperatorHarness harness = Timed.room(harness(random.nextInt(9), BY_K_AND_ORD,
                new Clocks(Timed.BY_K, List.of(0), delay)), random).open()) {
            Timed.playWhole(harness, steps, random);
            Map<Object, List<List<Object>>> packets = new HashMap<>();
            Map<Object, List<Object>> expected = new HashMap<>();
            Map<Object, List<Object>> found = new HashMap<>();
            steps.stream().map(Timed.Step::row).filter(row -> !harness.rows(1).contains(row))
                    .forEach(row -> packets.computeIfAbsent(Timed.key(row), k -> new ArrayList<>()).add(row));
            packets.forEach((key, rows) -> expected.put(key, rows.stream().sorted(Timed.IN_ORDER).map(row -> row.get(3))
                    .toList()));
            harness.rows(0).forEach(row -> found.computeIfAbsent(row.get(0), k -> new ArrayList<>()).add(row.get(3)));
            assertEquals(expected, found, steps.toString());
        }
    }

    @Test
    void packetsOfOneTimeAreInEachOthersWindowsWhateverOtherKeysDo() throws Exception {
        try (OperatorHarness harness = harness(3, Timed.BY_K, new Clocks(Timed.BY_K, List.of(0), 1)).open()) {
            harness.feed(0, List.of(row(5, "a", 1), row(5, "b", 2), row(5, "a", 3), row(90, "b", 4)));
            assertEquals(List.of(Rows.row("b", 2L, 5L, 2L, 1L, "[2]")), harness.rows(0));
            harness.restart().feed(0, List.of(row(5, "a", 5), row(7, "a", 6)));
            assertEquals(List.of(Rows.row("a", 2L, 5L, 1L, 3L, "[1, 3, 5]"), Rows.row("a", 2L, 5L, 3L, 3L, "[1, 3, 5]"),
                    Rows.row("a", 2L, 5L, 5L, 3L, "[1, 3, 5]")), harness.rows(0).subList(1, 4));
            harness.feed(0, List.of(row(5, "a", 7), row(89, "b", 8)));
            assertEquals(List.of(row(5, "a", 7)), harness.rows(1));
        }
    }

    @Test
    void groupsOfAKeyThatAreOverAreForgotten() throws Exception {
        try (OperatorHarness harness = harness(10, BY_K_AND_ORD, new Clocks(Timed.BY_K, List.of(0), 0)).open()) {
            long held = 0;
            for (int v = 0; v < 20000; v++) {
                harness.feedRow(0, (long) v, v, "a", (long) v);
                held = v == 2000 ? harness.stateBytes : held;
            }
            assertTrue(harness.stateBytes <= held + 1_024, held + " bytes have become " + harness.stateBytes);
        }
    }

    @Test
    void aBadPacketHasNoRowAndIsInNoWindow() throws Exception {
        try (OperatorHarness harness = harness(10, Timed.BY_K, new Clocks(Timed.BY_K, List.of(0), 0)).skippingBadRecords()
                .open()) {
            harness.feedRow(0, 1L, 0, "a", 1L).feedRow(0, 1L, 1, "a", Collected.BAD).feedRow(0, 1L, 2, "a", 2L)
                    .watermark(Long.MAX_VALUE);
            assertEquals(List.of("a bad packet"), harness.badRecords);
            assertEquals(List.of(Rows.row("a", -9L, 1L, 1L, 2L, "[1, 2]"), Rows.row("a", -9L, 1L, 2L, 2L, "[1, 2]")),
                    harness.rows(0));
        }
    }

    private static List<Object> row(long time, String key, long v) {
        return Rows.row(time, null, key, v);
    }
}
