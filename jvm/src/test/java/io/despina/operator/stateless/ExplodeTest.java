package io.despina.operator.stateless;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.expr.Compiled;
import io.despina.expr.ExpressionException;
import io.despina.expr.Expressions;
import io.despina.expr.PlainSplit;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Schema;
import io.despina.packet.Type.Array;
import io.despina.packet.Type.Simple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ExplodeTest {
    private static final Schema BYTES = Schema.of(new Column("id", Simple.INT, false), new Column("b", Simple.BINARY, true));
    private static final Schema IDS = Schema.of(new Column("id", Simple.INT, false));
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

    /** A packet whose array cannot be worked out has no elements, and none of the packet before it. */
    @Example
    void handsBadRecordsOver() throws Exception {
        for (String of : List.of("split(cast(6 div id AS STRING), '1')", "sequence(0, 6 div id)")) {
            ProjectionPlan plan = Expressions.compiler(true, "UTC").project(Scope.of(IDS), List.of(of + " AS part"));
            Schema output = IDS.plus(Schema.of(new Column("part", ((Array) plan.result().column(0).type()).element(), true)));
            Explode.Options options = new Explode.Options(plan.compiled(), plan.result(), List.of(0));
            try (OperatorHarness explode = OperatorHarness.of(() -> new Explode(options)).inputs(IDS).outputs(output).room(16, 1)
                    .skippingBadRecords().open()) {
                explode.feed(0, List.of(row(3), row(0), row(6)));
                assertEquals(1, explode.badRecords.size());
                assertEquals(List.of(3, 6), explode.rows(0).stream().map(found -> found.get(0)).distinct().toList());
            }
        }
    }

    /** An array that says it has more elements than there are bytes for is no bad record but a broken packet. */
    @Example
    void refusesBrokenArrays() throws Exception {
        Schema schema = Schema.of(new Column("words", new Array(Simple.STRING, true), true));
        Compiled<Projection> broken = partition -> (in, out) -> out.setBytes(0, new byte[] {9, 0, 0, 0, 1, 2}, 0, 6);
        Explode.Options options = new Explode.Options(broken, schema, List.of(0));
        try (OperatorHarness explode = OperatorHarness.of(() -> new Explode(options)).inputs(IDS)
                .outputs(IDS.plus(Schema.of(new Column("word", Simple.STRING, true)))).skippingBadRecords().open()) {
            assertThrows(MalformedPacketException.class, () -> explode.feedRow(0, 1));
        }
    }

    @Provide
    Arbitrary<byte[]> texts() {
        Arbitrary<byte[]> pieces = Arbitraries.of(" ", " ", "a", "|", "]", ".", "\t", "word", "longer than eight",
                "\u00FC", "\u20AC", "\uD83D\uDE00", "\u0000", "!").map(s -> s.getBytes(StandardCharsets.UTF_8));
        Arbitrary<byte[]> any = Arbitraries.bytes().array(byte[].class).ofMaxSize(3);      // mostly malformed
        return Arbitraries.oneOf(pieces, pieces, any).list().ofMaxSize(12).map(ExplodeTest::joined);
    }

    private static byte[] joined(List<byte[]> pieces) {
        StringBuilder text = new StringBuilder();
        pieces.forEach(piece -> text.append(new String(piece, StandardCharsets.ISO_8859_1)));
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A split as Spark makes its array, and as it is cut part by part. */
    private record Both(Schema array, Compiled<Projection> whole, Compiled<Projection> parts) {

        static Both of(String delimiter) {
            try {
                ProjectionPlan plan = Expressions.compiler(true, "UTC").project(Scope.of(BYTES),
                        List.of("split(cast(b AS STRING), '" + delimiter + ") AS part"));
                Projection made = plan.compiled().instance(0);
                assertInstanceOf(PlainSplit.class, made);
                return new Both(plan.result(), partition -> made::apply, partition -> made);
            } catch (ExpressionException refused) {
                throw new IllegalStateException(refused);
            }
        }
    }

    private static final List<Both> SPLITS = Stream.of(" '", "\\\\|'", "!', 0", "]', -1", "\\\\.'", "\t'", "\u0000'")
            .map(Both::of).toList();

    /** The parts of a text, cut one by one, are those of the array that Spark makes. */
    @Property(tries = 2000)
    void textIsCutAsSparkSplitsIt(@ForAll("texts") byte[] text) throws Exception {
        for (Both split : SPLITS) {
            List<List<Object>> rows = List.of(row(1, text), row(2, null), row(3, text));
            assertEquals(exploded(split.array, split.whole, rows), exploded(split.array, split.parts, rows));
        }
    }

    private static List<List<Object>> exploded(Schema array, Compiled<Projection> of, List<List<Object>> rows) throws Exception {
        Explode.Options options = new Explode.Options(of, array, List.of(0));
        try (OperatorHarness explode = OperatorHarness.of(() -> new Explode(options)).inputs(BYTES).outputs(PARTS)
                .room(16, 1).open()) {
            return explode.feed(0, rows).rows(0);
        }
    }
}
