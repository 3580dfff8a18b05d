package io.despina.operator.program;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.RowChange;
import io.despina.operator.Rows;
import io.despina.operator.Sink;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spool.KeptSpool;
import io.despina.spool.SpoolRecords;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpsertSinkTest {
    private static final Schema IN = Schema.of(new Column("k", Simple.STRING, true), new Column("op", Simple.STRING, true),
            new Column("v", Simple.BIGINT, true), new Column("text", Simple.STRING, true));
    private static final Schema WITHOUT_OP = Schema.of(IN.column(0), IN.column(2), IN.column(3));
    private static final Keys BY_K = new Keys(Schema.of(IN.column(0)), partition -> (inputs, out) -> out.setColumn(0, inputs[0],
            0), 256);
    private static final String[] WORDS = {"insert", "update", "delete"};

    private final List<byte[]> batches = new ArrayList<>();

    private OperatorHarness.Setup setup(boolean changes) {
        UpsertSink.Options options = changes ? new UpsertSink.Options(BY_K, 1, WITHOUT_OP)
                : new UpsertSink.Options(BY_K, RowChange.NONE, IN);
        return OperatorHarness.of(() -> new UpsertSink(new CollectSink(batches::add), options)).inputs(IN);
    }

    private List<List<Object>> collected(boolean changes) {
        List<List<Object>> rows = new ArrayList<>();
        batches.forEach(batch -> rows.addAll(Rows.decode(changes ? WITHOUT_OP : IN, batch, 0, batch.length)));
        return sorted(rows);
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    private static List<Object> packet(Random random, long v) {
        String key = random.nextInt(9) == 0 ? null : "key " + random.nextInt(6);
        String text = random.nextInt(4) == 0 ? null : "x".repeat(random.nextInt(40));
        return row(key, WORDS[random.nextInt(3)], v, text);
    }

    private static List<List<Object>> oracle(List<List<Object>> packets, boolean changes) {
        Map<Object, List<Object>> rows = new HashMap<>();
        for (List<Object> packet : packets) {
            if (changes && packet.get(1).equals("delete")) {
                rows.remove(packet.get(0));
            } else {
                rows.put(packet.get(0), changes ? row(packet.get(0), packet.get(2), packet.get(3)) : packet);
            }
        }
        return sorted(new ArrayList<>(rows.values()));
    }

    @Property(tries = 200)
    void theNewestRowOfEachKeyLeavesAtTheEndWhereverItWasRestored(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        boolean changes = random.nextBoolean();
        List<List<Object>> packets = new ArrayList<>();
        for (long v = 0; v < 60; v++) {
            packets.add(packet(random, v));
        }
        int cut = random.nextInt(60);
        batches.clear();
        Sections sections;
        try (OperatorHarness first = setup(changes).open()) {
            first.feed(0, packets.subList(0, cut));
            try (Snapshots snapshot = first.beginSnapshot(false)) {
                first.feed(0, List.of(packet(random, 99), packet(random, 98)));
                sections = Snapshots.sections(snapshot.all());
            }
            assertEquals(0, batches.size());
        }
        try (OperatorHarness second = setup(changes).restored().open()) {
            new Share(0, 1, 256).restore(second.operator().states(), List.of(sections));
            second.operator().restored();
            second.feed(0, packets.subList(cut, 60));
            assertEquals(oracle(packets, changes).size(), second.operator().held().packets());
            second.end();
        }
        assertEquals(oracle(packets, changes), collected(changes));
    }

    @Test
    void rowsThatAreKeptAreHandedOverOnce(@TempDir Path folder) throws Exception {
        AtomicReference<KeptSpool> own = new AtomicReference<>();
        OperatorHarness.Setup kept = OperatorHarness.of(() -> new UpsertSink(new SpoolSink(instance -> {
            own.set(new KeptSpool("`rows`", 1 << 20, () -> { }));
            return own.get();
        }, true), new UpsertSink.Options(BY_K, 1, WITHOUT_OP))).inputs(IN).keeping(folder);
        try (OperatorHarness sink = kept.open()) {
            sink.feedRow(0, "a", "insert", 1L, null).feedRow(0, "b", "insert", 2L, null).feedRow(0, "a", "update", 3L, null);
            sink.restart();
            sink.feedRow(0, "b", "delete", 4L, null).end();
            CompletableFuture<Void> prepared = ((Sink) sink.operator()).prepare(1);
            Map<String, byte[]> last = sink.snapshot();
            prepared.join();
            sink.restart(last);     // its input has ended: it is not told again
            ((Sink) sink.operator()).commit(1);
            try (SpoolRecords records = new SpoolRecords(own.get().access(), "`rows`", 0)) {
                assertTrue(records.next(0));
                assertEquals(List.of(row("a", 3L, null)), Rows.decode(WITHOUT_OP, records.bytes(), records.from(), records.to()));
                assertFalse(records.next(0));
                assertTrue(records.isAtEnd());
            }
        }
    }

    @Test
    void whatIsNoChangeIsABadRecord() throws Exception {
        try (OperatorHarness sink = setup(true).skippingBadRecords().open()) {
            sink.feedRow(0, "a", "insert", 1L, null).feedRow(0, "a", "Delete", 2L, null).feedRow(0, "a", null, 3L, null)
                    .feedRow(0, "b", "delete", 4L, null).end();
            assertEquals(List.of("`op` is `Delete`, not insert, update or delete", "`op` is NULL, not insert, update or delete"),
                    sink.badRecords);
        }
        assertEquals(List.of(row("a", 1L, null)), collected(true));
    }

    @Test
    void rowsAreCountedAndBoundedByTheBudgetAndFreedWhenDeleted() throws Exception {
        assertThrows(IllegalStateException.class, () -> {
            try (OperatorHarness sink = setup(false).memory(500_000).open()) {
                for (long v = 0; v < 20_000; v++) {
                    sink.feedRow(0, "key " + v, "insert", v, "some text");
                }
            }
        });
        try (OperatorHarness sink = setup(true).open()) {
            for (long v = 0; v < 1_000; v++) {
                sink.feedRow(0, "key " + v, "insert", v, "some text");
            }
            long held = sink.stateBytes;
            for (long v = 0; v < 20_000; v++) {
                sink.feedRow(0, "key " + v, "delete", v, null).feedRow(0, "key " + (v + 1_000), "insert", v, "some text");
            }
            assertTrue(sink.stateBytes < 2 * held, () -> held + " bytes have become " + sink.stateBytes);
            sink.end();
        }
        assertEquals(1_000, collected(true).size());
    }
}
