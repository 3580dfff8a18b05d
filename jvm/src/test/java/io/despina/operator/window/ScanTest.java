package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ScanTest {
    private static final int LONGEST = 40;
    private static final long BAD = -13;
    private static final Schema STATE = Schema.of(new Column("text", Simple.STRING, true),
            new Column("total", Simple.BIGINT, true));
    private static final Schema RESULT = Schema.of(new Column("ts", Simple.TIMESTAMP, false),
            new Column("k", Simple.STRING, true), new Column("before", Simple.STRING, true),
            new Column("after", Simple.STRING, true), new Column("total", Simple.BIGINT, true));

    /** What {@code select} reads of the packet: its time and its key. */
    private static final List<Integer> READ = List.of(0, 2);

    /** {@code text}: the values so far, the last of them only once it is long; starts from the first packet's own. */
    private static Scan scan(Keys keys, boolean timed, boolean atEnd) {
        Projection initial = (inputs, out) -> set(out, 0, "<" + inputs[0].getLong(3) + ">", 0);
        Projection next = (inputs, out) -> {
            long v = inputs[0].getLong(3);
            if (v == BAD) {
                throw new ArithmeticException("a bad packet");
            }
            set(out, 0, after(text(inputs[1], 0), v), inputs[1].getLong(1) + v);
        };
        Predicate odd = inputs -> inputs[0].getLong(3) % 2 == 1 || inputs[2].getLong(1) % 3 == 0;
        Projection select = (inputs, out) -> {
            out.setColumn(0, inputs[0], 0);
            out.setColumn(1, inputs[0], 2);
            out.setColumn(2, inputs[1], 0);
            out.setColumn(3, inputs[2], 0);
            out.setColumn(4, inputs[2], 1);
        };
        return new Scan(timed ? Timed.ORDER : null,
                new Scan.Fold(keys, STATE, p -> initial, p -> next, p -> odd, p -> select, atEnd ? READ : null));
    }

    private static void set(PacketWriter out, int column, String text, long total) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.setBytes(column, bytes, 0, bytes.length);
        out.setLong(column + 1, total);
    }

    private static String text(Packet packet, int column) {
        return new String(packet.copyOfValue(column), StandardCharsets.UTF_8);
    }

    private static String after(String text, long v) {
        return text.length() > LONGEST ? "" + v : text + "," + v;
    }

    private static OperatorHarness.Setup harness(Keys keys, boolean timed) {
        return harness(keys, timed, false);
    }

    private static OperatorHarness.Setup harness(Keys keys, boolean timed, boolean atEnd) {
        return OperatorHarness.of(() -> scan(keys, timed, atEnd)).inputs(Timed.SCHEMA).outputs(RESULT, Timed.SCHEMA);
    }

    @Property(tries = 400)
    void anyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        boolean timed = random.nextInt(4) > 0;
        boolean atEnd = random.nextBoolean();
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(keys, timed, atEnd), random).open()) {
            Timed.play(harness, steps, random);

            List<List<Object>> packets = new ArrayList<>(timed ? Timed.packets(steps, 0, false)
                    : steps.stream().map(Step::row).filter(row -> row != null).toList());
            if (timed) {
                packets.sort(Timed.IN_ORDER);
                assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
            }
            assertEquals(oracle(keys, packets, atEnd), harness.rows(0), steps.toString());
        }
    }

    private static List<List<Object>> oracle(Keys keys, List<List<Object>> packets, boolean atEnd) {
        Map<Object, List<Object>> last = new LinkedHashMap<>();
        Map<Object, String> texts = new HashMap<>();
        Map<Object, Long> totals = new HashMap<>();
        List<List<Object>> rows = new ArrayList<>();
        for (List<Object> row : packets) {
            Object key = keys.isNone() ? null : Timed.key(row);
            long v = (Long) row.get(3);
            String before = texts.getOrDefault(key, "<" + v + ">");
            String after = after(before, v);
            long total = totals.getOrDefault(key, 0L) + v;
            texts.put(key, after);
            totals.put(key, total);
            last.put(key, row);
            if (v % 2 == 1 || total % 3 == 0) {
                rows.add(Rows.row(row.get(0), row.get(2), before, after, total));
            }
        }
        if (atEnd) {
            last.forEach((key, row) ->
                    rows.add(Rows.row(row.get(0), row.get(2), texts.get(key), texts.get(key), totals.get(key))));
        }
        return rows;
    }

    @Test
    void theEndIsForGroupsThatASnapshotHad() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, true, true).open()) {
            harness.feedRow(0, 1L, 0, "a", 2L).feedRow(0, 2L, 0, "b", 4L).watermark(3).restart().feedRow(0, 5L, 0, "b", 6L).end();
            assertEquals(List.of(Rows.row(1L, "a", "<2>,2", "<2>,2", 2L), Rows.row(5L, "b", "<4>,4,6", "<4>,4,6", 10L)),
                    harness.rows(0));
        }
    }

    @Test
    void tellsOfItsMemoryWhenItGrowsNotWhenTheCallEnds() throws Exception {
        int[] folded = {0};
        Schema text = Schema.of(new Column("text", Simple.STRING, true));
        Projection initial = (inputs, out) -> out.setBytes(0, new byte[0], 0, 0);
        Projection next = (inputs, out) -> {
            folded[0]++;
            out.setBytes(0, new byte[1_000 * folded[0]], 0, 1_000 * folded[0]);
        };
        try (OperatorHarness harness = OperatorHarness.of(() -> new Scan(null, new Scan.Fold(Keys.none(), text, p -> initial,
                p -> next, p -> inputs -> false, Timed.columns(2), null))).inputs(Timed.SCHEMA).outputs(Timed.KEY, Timed.SCHEMA)
                .memory(50_000).open()) {
            List<List<Object>> packets = Collections.nCopies(500, Rows.row(1L, 0, "a", 1L));
            assertThrows(IllegalStateException.class, () -> harness.feed(0, packets));
        }
        assertTrue(folded[0] < 60, "folded " + folded[0] + " packets before it told of its memory");
    }

    @Test
    void peersOfTheWatermarkWait() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, true).open()) {
            harness.feedRow(0, 5L, 1, "a", 1L).watermark(5);
            assertEquals(List.of(), harness.rows(0));
            harness.feedRow(0, 5L, 0, "a", 3L).watermark(6);
            assertEquals(List.of(Rows.row(5L, "a", "<3>", "<3>,3", 3L), Rows.row(5L, "a", "<3>,3", "<3>,3,1", 4L)),
                    harness.rows(0));
            harness.feedRow(0, 5L, 0, "a", 5L);
            assertEquals(List.of(Rows.row(5L, 0, "a", 5L)), harness.rows(1));
        }
    }

    @Test
    void aBadPacketLeavesTheStateAsItWas() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, true).skippingBadRecords().open()) {
            harness.feedRow(0, 1L, 0, "a", 1L).feedRow(0, 2L, 0, "a", BAD).feedRow(0, 3L, 0, "a", 5L).end();
            assertEquals(List.of("a bad packet"), harness.badRecords);
            assertEquals("<1>,1,5", harness.rows(0).get(1).get(3));
        }
    }

    @Test
    void theStateIsKeptForEver() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, true).open()) {
            harness.feedRow(0, 1L, 0, "a", 1L).watermark(1_000_000).restart().feedRow(0, 2_000_000L, 0, "a", 3L).end();
            assertEquals("<1>,1", harness.rows(0).get(1).get(2));
        }
    }
}
