package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    /** Differ on every call, or by the moment. */
    private static final Pattern UNSTABLE = Pattern.compile(
            "(?i).*\\b(rand|randn|random|uuid|shuffle|randstr|uniform|input_file|monotonically|spark_partition|version|now|"
            + "current_\\w+|localtimestamp|curdate|user|session_user|reflect|java_method|try_reflect|aes_encrypt|sha|"
            + "approx_top_k\\w*|raise_error)\\b.*");

    private final Analysis analysis = new Analysis(true, "UTC");
    private int kept;

    @Test
    void equalToSparksInterpreter() {
        int equal = 0;
        int examples = 0;
        Map<String, String> different = new TreeMap<>();
        for (FunctionIdentifier name : Scala.<FunctionIdentifier>list(FunctionRegistry$.MODULE$.builtin().listFunction())) {
            ExpressionInfo info = FunctionRegistry$.MODULE$.builtin().lookupFunction(name).get();
            Matcher m = EXAMPLE.matcher(info.getExamples());
            while (m.find()) {
                String text = m.group(1).strip();
                if (UNSTABLE.matcher(text).matches() || text.toUpperCase(java.util.Locale.ROOT).contains(" FROM ")) {
                    continue;
                }
                String outcome = analysis.under(() -> compare(text));
                examples += outcome == null ? 0 : 1;
                equal += "equal".equals(outcome) ? 1 : 0;
                if (outcome != null && !outcome.equals("equal")) {
                    different.put(text, outcome);
                }
            }
        }
        assertEquals(Map.of(), different, equal + " of " + examples + " equal");
        assertTrue(equal > 600, equal + " examples compared");
        assertTrue(kept > 400, kept + " examples have code that can be kept");
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
