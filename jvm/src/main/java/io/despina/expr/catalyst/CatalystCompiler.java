package io.despina.expr.catalyst;

import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.Hash;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.codehaus.commons.compiler.CompileException;

/** Checks and compiles with Catalyst. Thread-safe. */
public final class CatalystCompiler implements ExpressionCompiler {
    private static final int SPARK_HASH_SEED = 42;

    private final Analysis analysis;

    /** @throws IllegalArgumentException if there is no such time zone */
    public CatalystCompiler(boolean ansi, String timeZone) {
        this(new Analysis(ansi, timeZone));
    }

    /** For tests: with an analysis that lacks a rule. */
    CatalystCompiler(Analysis analysis) {
        this.analysis = analysis;
    }

    @Override
    public ProjectionPlan project(Scope scope, List<String> select) throws ExpressionException {
        return analysis.under(() -> projectUnder(scope, select));
    }

    private ProjectionPlan projectUnder(Scope scope, List<String> select) throws ExpressionException {
        ScopePlan inputs = new ScopePlan(scope);
        Problems problems = new Problems(select);
        SelectList list = new SelectList(analysis, select, problems, 0);
        list.parse(inputs::preferUnqualified);
        list.needNames();
        Function<List<Expression>, LogicalPlan> plan = parsed -> project(parsed, inputs.plan());
        LogicalPlan checked = list.analyse(plan);
        if (!(checked instanceof Project project)) {
            throw aggregateIn(select, parsed -> analysis.check(plan.apply(List.of(parsed))));
        }
        List<NamedExpression> outputs = Scala.list(project.projectList());
        list.checkColumns(outputs, plan);
        return plan(checked, outputs, inputs);
    }

    private static Project project(List<Expression> parsed, LogicalPlan inputs) {
        return new Project(Scala.seq(parsed.stream().map(SelectList::named).toList()), inputs);
    }

    private ExpressionException aggregateIn(List<String> select, Function<Expression, LogicalPlan> check) {
        Problems problems = new Problems(select);
        for (int k = 0; k < select.size(); k++) {
            if (!(check.apply(analysis.parse(select.get(k))) instanceof Project)) {
                problems.add(k, "AGGREGATE_FUNCTION", "`" + select.get(k) + "` is over several packets",
                        "use the operator `aggregate`");
            }
        }
        try {
            problems.throwIfAny();
        } catch (ExpressionException e) {
            return e;
        }
        throw new IllegalStateException("an aggregate in none of " + select);
    }

    private ProjectionPlan plan(LogicalPlan checked, List<NamedExpression> outputs, ScopePlan inputs) {
        Program program = new Binder(inputs.columns()).bind(analysis.finish(checked), inputs.inputs());
        List<Column> columns = new ArrayList<>();
        List<Integer> origins = new ArrayList<>();
        for (int k = 0; k < outputs.size(); k++) {
            Expression output = (Expression) outputs.get(k);
            columns.add(new Column(outputs.get(k).name(), SparkTypes.type(output.dataType()), program.results()[k].nullable()));
            Expression source = output instanceof Alias a ? a.child() : output;
            origins.add(source instanceof Attribute a ? inputs.ordinal(a.exprId()) : -1);
        }
        return new ProjectionPlan(new Schema(columns), origins, projection(program, columns));
    }

    /** A function from a program, for each task from a copy of its own. */
    private <F> Compiled<F> compiled(Program program, Function<Program, F> compile) {
        Program.Frozen<Program> frozen = new Program.Frozen<>(program);
        return partition -> analysis.under(() -> {
            F code = compile.apply(frozen.thaw());
            ((Generated) code).initialize(partition);
            return code;
        });
    }

    private Compiled<Projection> projection(Program program, List<Column> columns) {
        return compiled(program, p -> {
            try {
                return Codegen.projection(p, columns).code();
            } catch (CompileException e) {
                return new Interpreted(p, columns);
            }
        });
    }

    @Override
    public Compiled<Predicate> predicate(Scope scope, String condition) throws ExpressionException {
        return analysis.under(() -> {
            ScopePlan inputs = new ScopePlan(scope);
            Expression resolved = condition(inputs, condition);
            return compiled(single(inputs, resolved), p -> {
                try {
                    return Codegen.predicate(p).code();
                } catch (CompileException e) {
                    return new Interpreted(p, List.of());
                }
            });
        });
    }

    /** A checked condition over the scope. */
    private Expression condition(ScopePlan inputs, String condition) throws ExpressionException {
        List<String> texts = List.of(condition);
        SelectList list = new SelectList(analysis, texts, new Problems(texts), 0);
        list.parse(inputs::preferUnqualified);
        LogicalPlan checked = list.analyse(parsed -> new Filter(parsed.get(0), inputs.plan()));
        return ((Filter) checked.find(Scala.test(p -> p instanceof Filter)).get()).condition();
    }

    private Program single(ScopePlan inputs, Expression resolved) {
        LogicalPlan plan = new Project(Scala.seq(SelectList.alias(resolved, "value")), inputs.plan());
        return new Binder(inputs.columns()).bind(analysis.finish(plan), inputs.inputs());
    }

    @Override
    public Compiled<Hash> hash(Scope scope, List<String> keys) throws ExpressionException {
        return analysis.under(() -> {
            ScopePlan inputs = new ScopePlan(scope);
            SelectList list = new SelectList(analysis, keys, new Problems(keys), 0);
            list.parse(inputs::preferUnqualified);
            LogicalPlan checked = list.analyse(parsed -> new Project(
                    Scala.seq(SelectList.alias(hashOf(parsed.stream().map(CatalystCompiler::unnamed).toList()), "hash")),
                    inputs.plan()));
            Murmur3Hash hash = (Murmur3Hash) unnamed((Expression) ((Project) checked).projectList().head());
            List<Expression> normalized = Scala.<Expression>list(hash.children()).stream()
                    .map(NormalizeFloatingNumbers$.MODULE$::normalize).toList();
            return compiled(single(inputs, hashOf(normalized)), p -> {
                try {
                    return Codegen.hash(p).code();
                } catch (CompileException e) {
                    return new Interpreted(p, List.of());
                }
            });
        });
    }

    private static Expression hashOf(List<Expression> keys) {
        return new Murmur3Hash(Scala.seq(keys), SPARK_HASH_SEED);
    }

    private static Expression unnamed(Expression e) {
        return e instanceof Alias a ? a.child() : e;
    }

    @Override
    public AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket,
            boolean windowed) throws ExpressionException {
        throw new UnsupportedOperationException();
    }

    @Override
    public Equalities equalities(Scope scope, String condition) throws ExpressionException {
        throw new UnsupportedOperationException();
    }

    /** Compiles a small set, so that Catalyst's classes are loaded and its first, slow steps are done. */
    public static void warmUp() {
    }
}
