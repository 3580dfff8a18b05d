package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Equalities;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.KeepingCompiler;
import io.despina.expr.KeptAnswers;
import io.despina.expr.PlainSplit;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowFacts;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one JVM has asked, answered in another without Catalyst. */
class KeepingCompilerTest {
    private static final Schema SCHEMA = Packets.schema("a INT, s STRING, l ARRAY<INT>, d DECIMAL(20, 2), t TIMESTAMP NOT NULL");
    private static final Scope SCOPE = Scope.of(SCHEMA);
    private static final Packet ROW = Packets.of(SCHEMA, 3, "x,y", null, new java.math.BigDecimal("1.25"), 7L);
    private static final List<String> SELECT = List.of("*", "a + 1 AS b", "a / 2 AS half", "concat(s, '-', a) AS c",
            "array(a, a + 1) AS two", "d + 1 AS e", "named_struct('x', a) AS st", "CAST(t AS DATE) AS day", "s LIKE 'x%' AS x",
            "hour(t) AS h", "pmod(a, 7) AS m", "CASE WHEN a > 2 THEN 'many' ELSE 'few' END AS n");

    @TempDir
    Path folder;
    private final AtomicInteger asked = new AtomicInteger();
    private ExpressionCompiler first;

    @BeforeEach
    void keep() {
        first = compiler();
    }

    /** As of another JVM: knows what is on disk. */
    private ExpressionCompiler compiler() {
        return new KeepingCompiler(new KeptAnswers(folder.resolve("expressions")), true, "UTC", () -> {
            asked.incrementAndGet();
            return new CatalystCompiler(true, "UTC");
        });
    }

    private interface Asks {
        Object of(ExpressionCompiler compiler) throws Exception;
    }

    /** Asks Catalyst once, and then what was kept; @return the answer that was kept. */
    private Object twice(Asks asks) throws Exception {
        Object wanted = asks.of(first);
        int before = asked.get();
        assertTrue(before > 0);
        Object found = asks.of(compiler());
        assertEquals(before, asked.get(), "Catalyst was asked again");
        assertEquals(wanted, found);
        return found;
    }

    private static String row(ProjectionPlan plan) {
        return plan.result().columns() + " " + plan.origins() + " " + plan.reads() + " "
                + Packets.apply(plan.compiled().instance(0), plan.result(), ROW);
    }

    @Test
    void projections() throws Exception {
        twice(compiler -> row(compiler.project(SCOPE, SELECT)).replaceAll("@[0-9a-f]+", ""));
    }

    @Test
    void keysConditionsAndHashes() throws Exception {
        twice(compiler -> row(compiler.keys(SCOPE, List.of("a", "CAST(a AS DOUBLE) AS x"))));
        twice(compiler -> compiler.predicate(SCOPE, "a BETWEEN 1 AND 5 AND s RLIKE 'x.*'").instance(0).test(new Packet[] {ROW}));
        twice(compiler -> compiler.hash(SCOPE, List.of("a", "s")).instance(0).hash(new Packet[] {ROW}));
    }

    @Test
    void aSplitStaysOneThatIsCutWhereItLies() throws Exception {
        List<String> split = List.of("split(s, ',') AS parts");
        assertEquals((byte) ',', twice(compiler ->
                ((PlainSplit) compiler.project(SCOPE, split).compiled().instance(0)).delimiter()));
    }

    @Test
    void aggregates() throws Exception {
        List<String> select = List.of("odd", "window.start AS w", "count(*) AS n", "avg(a) AS mean", "min(s) AS least",
                "sum(d) AS sum", "max(t) FILTER (WHERE a > 1) AS last");
        twice(compiler -> aggregated(compiler.aggregate(SCHEMA, List.of("a % 2 AS odd"), select, false, WindowNames.BOUNDS,
                List.of())));
    }

    private static Object aggregated(AggregationPlan plan) {
        Aggregation aggregation = plan.compiled().instance(0);
        Accumulator accumulator = aggregation.create();
        aggregation.update(accumulator, ROW);
        aggregation.update(accumulator, ROW);
        PacketWriter key = Packets.writer(plan.keySchema());
        key.begin();
        plan.keys().compiled().instance(0).apply(new Packet[] {ROW}, key);
        key.commit();
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        aggregation.evaluate(accumulator, Packets.read(plan.keySchema(), key), null, new WindowFacts().set(1, 2), out);
        out.commit();
        return Packets.values(Packets.read(plan.result(), out), plan.result());
    }

    @Test
    void conditionsOfJoins() throws Exception {
        Scope both = new Scope(List.of(new Scope.Input("left", SCHEMA), new Scope.Input("right", SCHEMA)));
        Object equalities = twice(compiler -> compiler.equalities(both, "left.a = right.a AND left.d > right.d"));
        assertEquals(1, ((Equalities) equalities).left().size());
    }

    @Test
    void textsWithoutCautions() throws Exception {
        twice(compiler -> compiler.cautions(List.of("a + 1")));
        twice(compiler -> {
            compiler.checkUnnamed(List.of("a > 1"));
            compiler.checkSyntax(List.of("a > 1"));
            return true;
        });
        assertThrows(ExpressionException.class, () -> first.checkUnnamed(List.of("a > 1 AND")));
        assertThrows(ExpressionException.class, () -> compiler().checkUnnamed(List.of("a > 1 AND")));
        assertEquals(1, first.cautions(List.of("rand()")).size());
        assertEquals(1, compiler().cautions(List.of("rand()")).size());
    }

    @Test
    void whatDiffersFromJobToJobIsCompiledAnew() throws Exception {
        first.project(SCOPE, List.of("now() AS n")).compiled().instance(0);
        int before = asked.get();
        compiler().project(SCOPE, List.of("now() AS n")).compiled().instance(0);
        assertEquals(before + 1, asked.get());
    }

    @Test
    void codeThatRefersToObjectsOfSparksIsCompiledAnew() throws Exception {
        String wanted = row(first.project(SCOPE, List.of("map('k', a) AS m")));
        int before = asked.get();
        assertEquals(wanted, row(compiler().project(SCOPE, List.of("map('k', a) AS m"))));
        assertEquals(before + 1, asked.get());
    }

    @Test
    void refusalsAreToldEachTime() {
        assertThrows(ExpressionException.class, () -> first.project(SCOPE, List.of("nothing AS n")));
        assertThrows(ExpressionException.class, () -> compiler().project(SCOPE, List.of("nothing AS n")));
    }

    @Test
    void anotherScopeOrSettingIsAnotherQuestion() throws Exception {
        first.project(SCOPE, List.of("a + 1 AS b")).compiled().instance(0);
        int before = asked.get();
        compiler().project(Scope.of(Packets.schema("a BIGINT")), List.of("a + 1 AS b"));
        new KeepingCompiler(new KeptAnswers(folder.resolve("expressions")), false, "UTC", () -> {
            asked.incrementAndGet();
            return new CatalystCompiler(false, "UTC");
        }).project(SCOPE, List.of("a + 1 AS b"));
        assertEquals(before + 2, asked.get());
    }

    @Test
    void damagedAnswersAreWorkedOutAgain() throws Exception {
        String wanted = row(first.project(SCOPE, List.of("a + 1 AS b")));
        try (Stream<Path> files = Files.list(folder.resolve("expressions"))) {
            for (Path file : files.toList()) {
                damage(file);
            }
        }
        assertEquals(wanted, row(compiler().project(SCOPE, List.of("a + 1 AS b"))));
    }

    private static void damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 1] ^= 1;
        Files.write(file, bytes);
    }
}
