package io.despina.expr.catalyst.codegen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Hash;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowFacts;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where generated code does not compile, the interpreter stands in and gives the same. */
class InterpretedTest {
    private static final CatalystCompiler COMPILER = new CatalystCompiler(true, "UTC");
    private static final Schema SCHEMA = Packets.schema("a INT, b DOUBLE NOT NULL, s STRING, l ARRAY<INT>, d DECIMAL(20, 2)");
    private static final List<Packet> ROWS = List.of(row(3, 1.5, "x", "1.25"), row(null, -0.0, "y", null),
            row(1, Double.NaN, null, "-7.50"), row(3, 8.0, "longer text", "0.00"));

    private static Packet row(Integer a, double b, String s, String d) {
        return Packets.of(SCHEMA, a, b, s, null, d == null ? null : new java.math.BigDecimal(d));
    }

    @AfterEach
    void compileAgain() {
        Codegen.REFUSES.remove();
    }

    private static <T> T refusing(Supplier<T> made) {
        Codegen.REFUSES.set(true);
        try {
            return made.get();
        } finally {
            Codegen.REFUSES.remove();
        }
    }

    @Test
    void projections() throws Exception {
        ProjectionPlan plan = COMPILER.project(Scope.of(SCHEMA), List.of("a + 1 AS n", "concat(s, '!') AS t", "b", "s",
                "CASE WHEN a > 1 THEN d ELSE NULL END AS c", "named_struct('x', a, 'y', array(s)) AS st",
                "a BETWEEN 1 AND 2 AS within", "map('k', a) AS m"));
        Projection fast = plan.compiled().instance(0);
        Projection slow = refusing(() -> plan.compiled().instance(0));
        assertNotEquals(Interpreted.class, fast.getClass());
        assertInstanceOf(Interpreted.class, slow);
        for (Packet row : ROWS) {
            assertEquals(Packets.apply(fast, plan.result(), row).toString(), Packets.apply(slow, plan.result(), row).toString());
        }
    }

    @Test
    void nonDeterministicOnesStartWhereThePartitionSays() throws Exception {
        ProjectionPlan plan = COMPILER.project(Scope.of(SCHEMA), List.of("rand() AS r", "randn() AS n"));
        Projection fast = plan.compiled().instance(3);
        Projection slow = refusing(() -> plan.compiled().instance(3));
        for (Packet row : ROWS) {
            assertEquals(Packets.apply(fast, plan.result(), row), Packets.apply(slow, plan.result(), row));
        }
    }

    @Test
    void predicatesAndHashes() throws Exception {
        var condition = COMPILER.predicate(Scope.of(SCHEMA), "a > 1 AND s LIKE 'x%' OR b IN (8.0, -1.0)");
        var key = COMPILER.hash(Scope.of(SCHEMA), List.of("a", "b", "s", "d"));
        Predicate slowCondition = refusing(() -> condition.instance(0));
        Hash slowKey = refusing(() -> key.instance(0));
        assertInstanceOf(Interpreted.class, slowCondition);
        assertInstanceOf(Interpreted.class, slowKey);
        for (Packet row : ROWS) {
            Packet[] inputs = {row};
            assertEquals(condition.instance(0).test(inputs), slowCondition.test(inputs));
            assertEquals(key.instance(0).hash(inputs), slowKey.hash(inputs));
        }
    }

    @Test
    void aggregates() throws Exception {
        AggregationPlan plan = COMPILER.aggregate(SCHEMA, List.of(), List.of("count(*) AS n", "sum(a) AS s", "avg(b) AS m",
                "min(s) AS lo", "max(d) AS hi", "sum(d) AS sd", "sum(a) FILTER (WHERE b > 1) AS f", "count(DISTINCT a) AS cd",
                "collect_list(s) AS cl", "percentile(a, 0.5) AS p", "max(a) - min(a) AS swing", "window.start AS t"), false,
                WindowNames.BOUNDS,
                List.of());
        assertEquals(merged(plan, plan.compiled().instance(0)), merged(plan, refusing(() -> plan.compiled().instance(0))));
    }

    private static String merged(AggregationPlan plan, Aggregation aggregation) {
        List<Accumulator> halves = new ArrayList<>();
        for (int from = 0; from < 4; from += 2) {
            Accumulator half = aggregation.create();
            ROWS.subList(from, from + 2).forEach(row -> aggregation.update(half, row));
            halves.add(half);
        }
        aggregation.merge(halves.get(0), halves.get(1));
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        aggregation.evaluate(halves.get(0), null, null, new WindowFacts().set(100, 200), out);
        out.commit();
        Packet packet = new Packet(plan.result().layout());
        packet.wrap(out.bytes(), 0, out.position());
        return Packets.values(packet, plan.result()).toString();
    }
}
