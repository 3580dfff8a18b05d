package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.AggregationPlan;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.row.Packets;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Spark's own examples of its aggregates, over packets: what comes of them is what Spark's documentation prints, at once, in
 * two parts that are merged, after a write and a read in between, and interpreted.
 */
class AggregateContractTest {
    private static final Pattern EXAMPLE = Pattern.compile(
            "> SELECT (.*?)\\sFROM\\s+(.*?);\\s*(.*?)\\s*(?=\\n\\s*> SELECT|\\z)", Pattern.DOTALL);
    private static final Pattern SELECT = Pattern.compile("SELECT (.*?)\\sFROM\\s+(VALUES.*)", Pattern.DOTALL);
    private static final Set<String> OF_SKETCHES = Set.of("sketch_funcs", "vector_funcs", "variant_funcs");
    private static final String GROUPING_SETS = "refused: of grouping sets, which the graph file does not have";
    /** Why an aggregate is left out. */
    private static final Map<String, String> EXCLUDED = Map.of("grouping", GROUPING_SETS, "grouping_id", GROUPING_SETS,
            "measure", "refused: of metric views, which are in a catalog");

    private final Analysis analysis = new Analysis(true, "UTC");
    private final CatalystCompiler compiler = new CatalystCompiler(analysis);
    private final Map<String, String> different = new TreeMap<>();
    private final FunctionPage page = new FunctionPage();
    private int examples;
    private int kept;

    @AfterEach
    void compileAgain() {
        Codegen.REFUSES.remove();
    }

    /** Whether it is an aggregate, or one of its functions whose examples take what aggregates give. */
    static boolean isAggregate(ExpressionInfo info) {
        return info.getGroup().equals("agg_funcs") || OF_SKETCHES.contains(info.getGroup()) && EXAMPLE.matcher(info.getExamples())
                .results().anyMatch(m -> SELECT.matcher("SELECT " + m.group(1) + " FROM " + m.group(2)).matches());
    }

    @Test
    void givesWhatSparkPrints() throws Exception {
        Set<String> silent = new TreeSet<>();
        for (FunctionIdentifier name : Scala.<FunctionIdentifier>list(FunctionRegistry$.MODULE$.builtin().listFunction())) {
            ExpressionInfo info = FunctionRegistry$.MODULE$.builtin().lookupFunction(name).get();
            if (!isAggregate(info)) {
                continue;
            }
            int compared = EXCLUDED.containsKey(info.getName()) ? 0 : compareExamples(info);
            if (compared > 0) {
                page.compared(info.getGroup(), info.getName(), compared);
            } else {
                page.other(info.getGroup(), info.getName(), EXCLUDED.getOrDefault(info.getName(), ""));
                silent.add(info.getName());
            }
            examples += compared;
        }
        String count = examples + " examples";
        assertEquals(Map.of(), different, count);
        assertEquals(EXCLUDED.keySet(), silent, count);
        assertTrue(examples > 150, count);
        assertTrue(kept > 50, kept + " examples have code that can be kept");
        page.check("aggregates");
    }

    /** How many it has that are compared. */
    private int compareExamples(ExpressionInfo info) {
        int compared = 0;
        Matcher m = EXAMPLE.matcher(info.getExamples());
        while (m.find()) {
            String text = m.group(1).strip();
            String where = info.getName() + ": " + text;
            try {
                compared += run(text, m.group(2), m.group(3), where) ? 1 : 0;
            } catch (Exception | LinkageError e) {
                different.put(where, e.toString());
            }
        }
        return compared;
    }

    private boolean run(String select, String from, String printed, String where) throws Exception {
        Table table = from.startsWith("(") ? union(from) : values(from);
        if (table == null) {
            return false;
        }
        AggregationPlan plan = compiler.aggregate(table.schema, List.of(), List.of("cast(" + select + " AS STRING) AS r"), false,
                WindowNames.NONE, List.of());
        compare(plan, table.rows, printed, where);
        return true;
    }

    private record Table(Schema schema, List<Packet> rows) {
    }

    /** Null if a packet cannot hold a column, as one of nothing but NULL. */
    private Table values(String text) {
        LocalRelation relation = analysis.under(() -> (LocalRelation) analysis.check(CatalystSqlParser$.MODULE$.parsePlan(
                "SELECT * FROM " + text)).find(Scala.test(p -> p instanceof LocalRelation)).get());
        List<Attribute> attributes = Scala.list(relation.output());
        if (attributes.stream().anyMatch(a -> SparkTypes.type(a.dataType()) == null)) {
            return null;
        }
        Schema schema = new Schema(attributes.stream()
                .map(a -> new Column(a.name(), SparkTypes.type(a.dataType()), a.nullable())).toList());
        List<Packet> rows = new ArrayList<>();
        for (InternalRow row : Scala.<InternalRow>list(relation.data())) {
            Object[] cells = new Object[attributes.size()];
            for (int k = 0; k < cells.length; k++) {
                cells[k] = row.get(k, attributes.get(k).dataType());
            }
            rows.add(Packets.of(schema, cells));
        }
        return new Table(schema, rows);
    }

    /** What other aggregates give, a row for each. */
    private Table union(String text) throws Exception {
        Schema schema = null;
        List<Packet> rows = new ArrayList<>();
        for (String one : text.substring(1, text.lastIndexOf(')')).split("UNION ALL")) {
            Matcher m = SELECT.matcher(one.strip());
            assertTrue(m.matches(), one);
            Table table = values(m.group(2));
            AggregationPlan plan = compiler.aggregate(table.schema, List.of(), List.of(m.group(1)), false, WindowNames.NONE,
                    List.of());
            Aggregation aggregation = plan.compiled().instance(0);
            rows.add(packet(plan, aggregation, fed(aggregation, table.rows)));
            schema = plan.result();
        }
        return new Table(schema, rows);
    }

    private void compare(AggregationPlan plan, List<Packet> rows, String printed, String where) throws Exception {
        Aggregation aggregation = plan.compiled().instance(0);
        expect(printed, result(plan, aggregation, fed(aggregation, rows)), where);
        Codegen.REFUSES.set(true);
        Aggregation slow = plan.compiled().instance(0);
        Codegen.REFUSES.remove();
        expect(printed, result(plan, slow, fed(slow, rows)), where + " interpreted");
        byte[] code = plan.compiled().code();
        if (code != null) {
            kept++;
            compareKept(plan, code, rows, printed, where);
        }
        for (int cut = 0; cut <= rows.size() ; cut++) {
            Accumulator first = fed(aggregation, rows.subList(0, cut));
            Accumulator second = fed(aggregation, rows.subList(cut, rows.size()));
            aggregation.merge(first, second);
            expect(printed, result(plan, aggregation, first), where + " merged at " + cut);
            Aggregation fresh = plan.compiled().instance(0);
            Accumulator restored = restored(fresh, aggregation, fed(aggregation, rows.subList(0, cut)));
            rows.subList(cut, rows.size()).forEach(row -> fresh.update(restored, row));
            expect(printed, result(plan, fresh, restored), where + " restored at " + cut);
        }
    }

    /** The aggregation read from bytes, alone and going on from what the compiled one wrote. */
    private void compareKept(AggregationPlan plan, byte[] code, List<Packet> rows, String printed, String where)
            throws Exception {
        Aggregation compiled = plan.compiled().instance(0);
        Aggregation read = CodeBytes.<Aggregation>read(code).instance(0);
        expect(printed, result(plan, read, fed(read, rows)), where + " kept");
        int half = rows.size() / 2;
        Accumulator restored = restored(read, compiled, fed(compiled, rows.subList(0, half)));
        rows.subList(half, rows.size()).forEach(row -> read.update(restored, row));
        expect(printed, result(plan, read, restored), where + " kept, restored");
        assertEquals(compiled.mayOverflow(), read.mayOverflow(), where);
        assertEquals(compiled.flat() == null, read.flat() == null, where);
    }

    private static Accumulator fed(Aggregation aggregation, List<Packet> rows) {
        Accumulator accumulator = aggregation.create();
        rows.forEach(row -> aggregation.update(accumulator, row));
        return accumulator;
    }

    private static Accumulator restored(Aggregation into, Aggregation from, Accumulator accumulator) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        from.write(accumulator, new DataOutputStream(bytes));
        return into.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }

    private static String result(AggregationPlan plan, Aggregation aggregation, Accumulator accumulator) {
        return String.valueOf(Packets.values(packet(plan, aggregation, accumulator), plan.result()).get(0));
    }

    private static Packet packet(AggregationPlan plan, Aggregation aggregation, Accumulator accumulator) {
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        aggregation.evaluate(accumulator, null, null, null, out);
        out.commit();
        Packet packet = new Packet(plan.result().layout());
        packet.wrap(out.bytes(), 0, out.position());
        return packet;
    }

    private void expect(String printed, String found, String where) {
        if (!same(plain(printed), plain(found))) {
            different.put(where, "Spark prints " + printed + ", found " + found);
        }
    }

    /**
     * Without what the command line adds to a cast to STRING: names of fields, quotes, fractions of zero, all units of an
     * interval; or the cast to it.
     */
    private static String plain(String text) {
        return text.replaceAll("INTERVAL '(\\d+)' MONTH", "0-$1").replaceAll("INTERVAL '(\\d\\d)' SECOND", "0 00:00:$1")
                .replaceAll("INTERVAL '([^']*)' \\w+( TO \\w+)?", "$1").replaceAll("\"\\w+\":", "")
                .replaceAll("\\.0{9}", "").replaceAll("[\\s\"]", "");
    }

    private static boolean same(String printed, String found) {
        if (printed.equalsIgnoreCase(found)) {
            return true;
        }
        try {
            double wanted = Double.parseDouble(printed);
            return Math.abs(wanted - Double.parseDouble(found)) <= 1e-12 * Math.abs(wanted);
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
