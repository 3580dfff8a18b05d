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
import io.despina.state.KeyedTable;
import io.despina.state.Share;
import io.despina.state.Snapshots;
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

    private AggregationPlan plan;
    private Aggregation aggregation;
    private KeyedTable<Accumulator> table;

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
            "collect_list(DISTINCT s)", "listagg(s, ',')", "string_agg(DISTINCT s)", "collect_list(k) FILTER (WHERE s IS NULL)"})
    void haveInASnapshotWhatHasCome(String select) throws Exception {
        plan = new CatalystCompiler(true, "UTC").aggregate(SCHEMA, List.of(), List.of(select + " AS c", "max(s) AS m"), false,
                WindowNames.BOUNDS, List.of());
        aggregation = plan.compiled().instance(0);
        table = table(aggregation);
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
}
