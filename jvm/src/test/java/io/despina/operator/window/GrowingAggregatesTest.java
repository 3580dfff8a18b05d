package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.AggregationPlan;
import io.despina.expr.WindowFacts;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.snapshot.Manifest;
import io.despina.state.KeyedTable;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Aggregates that keep what they have seen: a snapshot has what has come to them since the one before. */
class GrowingAggregatesTest {
    private static final Schema SCHEMA = Packets.schema("k BIGINT NOT NULL, s STRING, a ARRAY<INT>");
    private static final int MANY = 5_000;
    private static final int EPOCHS = 12;
    private static final int EACH = 20;
    private static final int LONGEST = 12_000;
    /** Packets of each section of a golden. */
    private static final int GOLDEN = 300;

    private AggregationPlan plan;
    private Aggregation aggregation;
    private KeyedTable<Accumulator> table;

    private void plan(String select) throws Exception {
        plan = new CatalystCompiler(true, "UTC").aggregate(SCHEMA, List.of(), List.of(select + " AS c", "max(s) AS m"), false,
                WindowNames.BOUNDS, List.of());
        aggregation = plan.compiled().instance(0);
        table = table(aggregation);
    }

    private KeyedTable<Accumulator> table(Aggregation of) {
        return new KeyedTable<>("groups", Packets.schema("k BIGINT NOT NULL"), 256, AccumulatorFormat.of(of));
    }

    private static Packet key() {
        return Packets.of(Packets.schema("k BIGINT NOT NULL"), 1L);
    }

    private void take(int from, int to) {
        Packet key = key();
        int entry = table.find(key);
        entry = entry == KeyedTable.NONE ? table.add(key, aggregation.create()) : entry;
        Accumulator accumulator = table.edit(entry);
        for (int k = from; k < to; k++) {
            aggregation.update(accumulator, Packets.of(SCHEMA, (long) k, k % 7 == 0 ? null : "text " + k % 3_000,
                    k % 5 == 0 ? null : UnsafeArrayData.fromPrimitiveArray(new int[] {k, 1})));
        }
    }

    private List<Object> row(Aggregation by, KeyedTable<Accumulator> of) {
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        by.evaluate(of.get(of.find(key())), null, null, new WindowFacts().set(0, 1), out);
        out.commit();
        Packet packet = new Packet(plan.result().layout());
        packet.wrap(out.bytes(), 0, out.position());
        return Packets.values(packet, plan.result());
    }

    private Map<String, byte[]> written(boolean changes) throws Exception {
        try (Snapshots snapshot = new Snapshots(List.of(table), 1 << 12, changes)) {
            return snapshot.all();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"collect_list(k)", "collect_list(a)", "collect_list(struct(k, s))", "sort_array(collect_set(s))",
            "size(collect_set(a))", "sort_array(collect_union(a))", "count(DISTINCT k, s)", "sum(DISTINCT k)",
            "collect_list(DISTINCT s)", "listagg(s, ',')", "string_agg(DISTINCT s)", "collect_list(k) FILTER (WHERE s IS NULL)",
            "percentile(k, array(0.1, 0.5))", "median(k % 4000)", "percentile(k % 100 * 40, 0.7, 1 + k % 3)", "mode(s, true)",
            "percentile(DISTINCT k % 4000, 0.9)", "percentile_disc(0.3) WITHIN GROUP (ORDER BY k DESC)"})
    void haveInASnapshotWhatHasCome(String select) throws Exception {
        plan(select);
        take(0, MANY);
        List<Map<String, byte[]>> chain = new ArrayList<>(List.of(written(false)));
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            take(MANY + EACH * epoch, MANY + EACH * epoch + EACH);
            chain.add(written(true));
            assertTrue(chain.get(epoch + 1).get("groups").length < LONGEST,
                    "changes of " + chain.get(epoch + 1).get("groups").length + " bytes");
        }
        Aggregation another = plan.compiled().instance(0);
        KeyedTable<Accumulator> restored = table(another);
        new Share(0, 1, 256).restore(List.of(restored), List.of(Snapshots.chain(chain)));
        assertEquals(row(aggregation, table), row(another, restored));
    }

    /** What {@code percentile} gave when its counts were written whole, and since 64 of them at a time are entries. */
    @ParameterizedTest
    @ValueSource(ints = {5, 6})
    void countsOfAnEarlierEngineAreRead(int format) throws Exception {
        plan("percentile(k % 500, array(0.1, 0.5))");
        Path folder = Path.of("tests", "golden", "counts-" + format);
        if (Boolean.getBoolean("despina.record") && format == Manifest.FORMAT && !Files.exists(folder)) {
            Files.createDirectories(folder);
            take(0, GOLDEN);
            Files.write(folder.resolve("0"), written(false).get("groups"));
            take(GOLDEN, 2 * GOLDEN);
            Files.write(folder.resolve("1"), written(true).get("groups"));
        }
        KeyedTable<Accumulator> expected = table(aggregation);
        table = expected;
        take(0, 2 * GOLDEN);
        KeyedTable<Accumulator> restored = table(aggregation);
        new Share(0, 1, 256).restore(List.of(restored), List.of(Snapshots.chain(List.of(
                Map.of("groups", Files.readAllBytes(folder.resolve("0"))),
                Map.of("groups", Files.readAllBytes(folder.resolve("1")))))));
        assertEquals(row(aggregation, expected), row(aggregation, restored));
    }
}
