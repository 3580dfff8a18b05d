package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.ExpressionException;
import io.despina.expr.Projection;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.analysis.ScopePlan;
import io.despina.expr.catalyst.analysis.SelectList;
import io.despina.expr.catalyst.codegen.Binder;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.Interpreted;
import io.despina.expr.catalyst.codegen.PacketColumn;
import io.despina.expr.catalyst.codegen.Program;
import io.despina.expr.catalyst.row.Packets;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.junit.jupiter.api.Test;

/**
 * Spark's own examples of its functions, their constants moved into the columns of a packet: what we compile over packet
 * bytes, the same as bytes that were kept, and what stands in where that does not compile, gives what Spark's interpreter
 * gives over its own rows.
 */
class FunctionContractTest {
    private static final Pattern EXAMPLE = Pattern.compile("> SELECT (.*?);", Pattern.DOTALL);
    /** An example over rows of its own: see {@link AggregateContractTest}. */
    private static final Pattern ROWS = Pattern.compile("(?s).*\\sFROM\\s+(VALUES|\\().*");
    private static final String MOMENT = "the moment at which the job was accepted";
    private static final String CHANCE = "another value in each run; refused with a seed, by which Spark's partitions decide";
    private static final String SEVERAL = "makes several rows of one: that is the operator `explode`";
    private static final String OVER = "needs `OVER`: use `scan`, `changes`, `top` or a window of `aggregate`";
    private static final String WINDOW = "is a window's: `aggregate` has windows of its own";
    private static final String NANOS = "refused: of time stamps in nanoseconds, which Spark has switched off";
    /** What to say of functions of which no example can be compared. */
    private static final Map<String, String> KNOWN = Map.ofEntries(
            Map.entry("now", MOMENT), Map.entry("current_timestamp", MOMENT), Map.entry("current_date", MOMENT),
            Map.entry("curdate", MOMENT), Map.entry("localtimestamp", MOMENT), Map.entry("localtime", MOMENT),
            Map.entry("current_time", MOMENT), Map.entry("rand", CHANCE), Map.entry("random", CHANCE),
            Map.entry("randn", CHANCE), Map.entry("uuid", CHANCE), Map.entry("shuffle", CHANCE), Map.entry("randstr", CHANCE),
            Map.entry("uniform", CHANCE), Map.entry("raise_error", "fails the packet: `on_error` decides"),
            Map.entry("window", WINDOW), Map.entry("window_time", WINDOW), Map.entry("session_window", WINDOW),
            Map.entry("unix_nanos", NANOS), Map.entry("json_tuple", "makes several columns: use `from_json`"));
    /** Examples of functions for which Spark has none. */
    private static final Map<String, List<String>> OWN = Map.ofEntries(
            Map.entry("bigint", List.of("bigint('12')")), Map.entry("binary", List.of("binary('ab')")),
            Map.entry("boolean", List.of("boolean('true')")), Map.entry("date", List.of("date('2020-02-29')")),
            Map.entry("decimal", List.of("decimal('12')")), Map.entry("double", List.of("double('1.5')")),
            Map.entry("float", List.of("float('1.5')")), Map.entry("int", List.of("int('12')")),
            Map.entry("smallint", List.of("smallint('12')")), Map.entry("string", List.of("string(12)")),
            Map.entry("timestamp", List.of("timestamp('2020-02-29 12:00:00')")), Map.entry("tinyint", List.of("tinyint('12')")),
            Map.entry("time", List.of("time('12:00:00')")), Map.entry("current_timezone", List.of("current_timezone()")));

    private final Analysis analysis = new Analysis(true, "UTC");
    private final CatalystCompiler compiler = new CatalystCompiler(analysis);
    private final Map<String, String> different = new TreeMap<>();
    private final FunctionPage page = new FunctionPage();
    private int all;
    private int kept;

    @Test
    void equalToSparksInterpreter() throws Exception {
        for (FunctionIdentifier name : Scala.<FunctionIdentifier>list(FunctionRegistry$.MODULE$.builtin().listFunction())) {
            ExpressionInfo info = FunctionRegistry$.MODULE$.builtin().lookupFunction(name).get();
            List<String> examples = examples(info);
            if (AggregateContractTest.isAggregate(info)) {
                continue;
            }
            int equal = KNOWN.containsKey(info.getName()) ? 0 : (int) examples.stream().filter(this::isEqual).count();
            all += equal;
            if (equal > 0) {
                page.compared(info.getGroup(), info.getName(), equal);
            } else {
                page.other(info.getGroup(), info.getName(), words(info, examples));
            }
        }
        assertEquals(Map.of(), different, all + " equal");
        assertTrue(all > 600, all + " examples compared");
        assertTrue(kept > 400, kept + " examples have code that can be kept");
        page.check("scalar functions");
    }

    private static List<String> examples(ExpressionInfo info) {
        List<String> examples = new ArrayList<>(OWN.getOrDefault(info.getName(), List.of()));
        Matcher m = EXAMPLE.matcher(info.getExamples());
        while (m.find()) {
            if (!ROWS.matcher(m.group(1)).matches()) {
                examples.add(m.group(1).strip());
            }
        }
        return examples;
    }

    /** Whether it gives the same. What a packet cannot hold is compared as text. */
    private boolean isEqual(String text) {
        if (compiler.cautions(List.of(text + " AS r")).stream().anyMatch(caution -> caution.rule().equals("chance"))) {
            return false;       // another value in each run
        }
        String outcome = analysis.under(() -> compare(text));
        if (outcome == null) {
            outcome = analysis.under(() -> compare("CAST(" + text + " AS STRING)"));
        }
        if (outcome != null && !outcome.equals("equal")) {
            different.put(text, outcome);
        }
        return "equal".equals(outcome);
    }

    /** Why no example was compared. */
    private String words(ExpressionInfo info, List<String> examples) {
        String known = info.getGroup().equals("generator_funcs") ? SEVERAL : info.getGroup().equals("window_funcs") ? OVER
                : KNOWN.get(info.getName());
        if (known != null) {
            return known;
        }
        for (String text : examples.isEmpty() ? List.of(info.getName() + "(last)") : examples) {
            try {
                compiler.project(Scope.of(Packets.schema("last BIGINT NOT NULL")), List.of(text + " AS r"));
            } catch (ExpressionException e) {
                return "refused: " + e.problems().get(0).message();
            }
        }
        different.put(info.getName(), "no example was compared, and none is refused");
        return "";
    }

    /** Null if Spark's interpreter does not run the example, or a packet cannot hold what it gives. */
    private String compare(String text) {
        Scope[] scope = new Scope[1];
        List<Literal> constants = new ArrayList<>();
        Program program;
        Object expected;
        try {
            program = program(text, constants, scope);
            if (program == null) {
                return null;
            }
            expected = InternalRow$.MODULE$.copyValue(withConstants(program.results()[0], constants).eval(null));
        } catch (Exception | LinkageError e) {
            return null;
        }
        try {
            return same(program, packet(scope[0], constants), expected);
        } catch (Exception | LinkageError e) {
            return e.toString();
        }
    }

    /** The example over columns that hold its constants; over the constants themselves where Spark demands it. */
    private Program program(String text, List<Literal> constants, Scope[] scope) {
        Expression parsed = analysis.parse(text);
        List<Column> columns = new ArrayList<>();
        Expression moved = parsed.transformUp(Scala.<Expression>replacing(e -> {
            if (!(e instanceof Literal l) || l.value() == null || SparkTypes.type(l.dataType()) == null) {
                return null;
            }
            constants.add(l);
            columns.add(new Column("c" + columns.size(), SparkTypes.type(l.dataType()), true));
            return UnresolvedAttribute.quoted("c" + (columns.size() - 1));
        }));
        try {
            return program(moved, columns, scope);
        } catch (Exception e) {
            return program(parsed, columns, scope);
        }
    }

    private Program program(Expression parsed, List<Column> columns, Scope[] scope) {
        List<Column> all = new ArrayList<>(columns);
        all.add(new Column("last", Type.Simple.BIGINT, false));
        scope[0] = Scope.of(new Schema(all));
        ScopePlan inputs = new ScopePlan(scope[0]);
        Expression value = parsed instanceof Alias a ? a.child() : parsed;
        LogicalPlan checked = analysis.check(new Project(Scala.seq(SelectList.alias(value, "r")), inputs.plan()));
        if (!(checked instanceof Project project) || project.child() instanceof Generate) {
            return null;
        }
        Program program = new Binder(inputs).bind(analysis.finish(checked));
        Expression result = program.results()[0];
        return program.stages().length > 0 || !result.deterministic() || SparkTypes.type(result.dataType()) == null ? null
                : program;
    }

    private static Expression withConstants(Expression bound, List<Literal> constants) {
        return bound.transformUp(Scala.<Expression>replacing(e -> e instanceof PacketColumn c ? constants.get(c.ordinal) : null));
    }

    private static Packet packet(Scope scope, List<Literal> constants) {
        Schema schema = scope.inputs().get(0).schema();
        Object[] values = new Object[schema.size()];
        for (int k = 0; k < constants.size(); k++) {
            values[k] = constants.get(k).value();
        }
        values[values.length - 1] = 1L;
        return Packets.of(schema, values);
    }

    private String same(Program program, Packet packet, Object expected) throws Exception {
        Schema result = new Schema(List.of(new Column("r", SparkTypes.type(program.results()[0].dataType()), true)));
        Program copy = new Program.Prototype<>(program).thaw();
        Projection compiled = Codegen.projection(copy, result.columns()).instance(Projection.class);
        ((Generated) compiled).initialize(0);
        Object found = Packets.apply(compiled, result, packet).get(0);
        Object wanted = Packets.values(Packets.of(result, expected), result).get(0);
        if (!text(wanted).equals(text(found))) {
            return text(wanted) + " but found " + text(found);
        }
        byte[] code = CodeBytes.of(CodeBytes.projection(new Program.Prototype<>(program).thaw(), result.columns()));
        if (code != null) {
            kept++;
            Object again = Packets.apply(CodeBytes.<Projection>read(code).instance(0), result, packet).get(0);
            if (!text(wanted).equals(text(again))) {
                return text(wanted) + " but as bytes " + text(again);
            }
        }
        Interpreted interpreted = new Interpreted(new Program.Prototype<>(program).thaw(), result.columns());
        interpreted.initialize(0);
        Object slow = Packets.apply(interpreted, result, packet).get(0);
        return text(wanted).equals(text(slow)) ? "equal" : text(wanted) + " but interpreted " + text(slow);
    }

    private static String text(Object value) {
        if (value instanceof byte[] b) {
            return java.util.Arrays.toString(b);
        }
        if (value instanceof MapData m) {
            return text(m.keyArray()) + "->" + text(m.valueArray());
        }
        if (value instanceof ArrayData a) {
            return java.util.Arrays.stream(a.array()).map(FunctionContractTest::text).toList().toString();
        }
        if (value instanceof GenericInternalRow r) {
            return java.util.Arrays.stream(r.values()).map(FunctionContractTest::text).toList().toString();
        }
        return String.valueOf(value);
    }
}
