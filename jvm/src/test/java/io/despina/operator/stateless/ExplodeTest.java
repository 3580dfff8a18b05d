package io.despina.operator.stateless;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.despina.expr.Compiled;
import io.despina.expr.Expressions;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Array;
import io.despina.packet.Type.Simple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ExplodeTest {
    private static final Schema BYTES = Schema.of(new Column("id", Simple.INT, false), new Column("b", Simple.BINARY, true));
    private static final Schema PARTS = Schema.of(new Column("id", Simple.INT, false), new Column("part", Simple.STRING, true));

    @Example
    void givesAPacketPerElement() throws Exception {
        Schema input = Schema.of(new Column("id", Simple.INT, false), new Column("words", new Array(Simple.STRING, true), true),
                new Column("t", Simple.STRING, true));
        Schema output = Schema.of(new Column("id", Simple.INT, false), new Column("t", Simple.STRING, true),
                new Column("word", Simple.STRING, true));
        List<Object> many = new ArrayList<>(IntStream.range(0, 50).mapToObj(k -> (Object) ("w" + k)).toList());
        many.set(7, null);
        Schema arrays = Schema.of(input.column(1));
        Explode.Options options = new Explode.Options(partition -> (in, out) -> out.setColumn(0, in[0], 1), arrays,
                List.of(0, 2));
        try (OperatorHarness explode = OperatorHarness.of(() -> new Explode(options)).inputs(input).outputs(output).open()) {
            explode.feed(0, List.of(row(1, many, "x"), row(2, null, "y"), row(3, List.of(), "y"), row(4, List.of("end"), null)));
            List<List<Object>> expected = new ArrayList<>();
            many.forEach(word -> expected.add(row(1, "x", word)));
            expected.add(row(4, null, "end"));
            assertEquals(expected, explode.rows(0));
        }
    }

    @Example
    void takesFixedElementsAndEvaluatesEachPacketOnce() throws Exception {
        Schema input = Schema.of(new Column("d", new Array(Simple.DOUBLE, false), false));
        Schema output = Schema.of(new Column("d", Simple.DOUBLE, false));
        int[] evaluations = {0};
        Explode.Options options = new Explode.Options(partition -> (in, out) -> {
            evaluations[0]++;
            out.setColumn(0, in[0], 0);
        }, input, List.of());
        try (OperatorHarness explode = OperatorHarness.of(() -> new Explode(options)).inputs(input).outputs(output).room(16, 1)
                .open()) {
            explode.feed(0, List.of(row(List.of(1.5, 2.5, 3.5)), row(List.of(4.5))));
            assertEquals(List.of(row(1.5), row(2.5), row(3.5), row(4.5)), explode.rows(0));
            assertEquals(2, evaluations[0]);
        }
    }

    /** Columns that nobody reads come as NULL. */
    @Example
    void leavesOutWhatNobodyReads() throws Exception {
        Schema output = Schema.of(new Column("id", Simple.INT, true), new Column("t", Simple.STRING, true),
                new Column("word", Simple.STRING, true));
        Schema input = Schema.of(new Column("id", Simple.INT, true), new Column("t", Simple.STRING, true));
        ProjectionPlan words = Expressions.compiler(true, "UTC").project(Scope.of(input), List.of("split(t, ' ') AS word"));
        Explode.Options options = new Explode.Options(words.compiled(), words.result(), List.of(0, Explode.UNREAD));
        try (OperatorHarness explode = OperatorHarness.of(() -> new Explode(options)).inputs(input).outputs(output).open()) {
            explode.feed(0, List.of(row(1, "a b"), row(null, ""), row(3, null)));
            assertEquals(List.of(row(1, null, "a"), row(1, null, "b"), row(null, null, "")), explode.rows(0));
        }
    }

    @Provide
    Arbitrary<byte[]> texts() {
        Arbitrary<byte[]> pieces = Arbitraries.of(" ", " ", "a", "|", "word", "longer than eight", "\u00FC", "\u20AC", "\uD83D\uDE00", "\u0000", "!")
                .map(s -> s.getBytes(StandardCharsets.UTF_8));
        Arbitrary<byte[]> any = Arbitraries.bytes().array(byte[].class).ofMaxSize(3);      // mostly malformed
        return Arbitraries.oneOf(pieces, pieces, any).list().ofMaxSize(12).map(ExplodeTest::joined);
    }

    private static byte[] joined(List<byte[]> pieces) {
        StringBuilder text = new StringBuilder();
        pieces.forEach(piece -> text.append(new String(piece, StandardCharsets.ISO_8859_1)));
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The parts of a text that are cut where they lie are those of the array that Spark makes. */
    @Property(tries = 2000)
    void textIsCutAsSparkSplitsIt(@ForAll("texts") byte[] text) throws Exception {
        for (String delimiter : List.of(" ", "\\\\|", "!")) {
            ProjectionPlan plan = Expressions.compiler(true, "UTC").project(Scope.of(BYTES),
                    List.of("split(cast(b AS STRING), '" + delimiter + "') AS part"));
            assertNotNull(plan.compiled().instance(0).split());
            List<List<Object>> rows = List.of(row(1, text), row(2, null), row(3, text));
            Compiled<Projection> array = partition -> plan.compiled().instance(partition)::apply;    // with no way to its parts
            assertEquals(exploded(plan, array, rows), exploded(plan, plan.compiled(), rows));
        }
    }

    private static List<List<Object>> exploded(ProjectionPlan plan, Compiled<Projection> array, List<List<Object>> rows) throws Exception {
        Explode.Options options = new Explode.Options(array, plan.result(), List.of(0));
        try (OperatorHarness explode = OperatorHarness.of(() -> new Explode(options)).inputs(BYTES).outputs(PARTS).room(16, 1).open()) {
            return explode.feed(0, rows).rows(0);
        }
    }
}
