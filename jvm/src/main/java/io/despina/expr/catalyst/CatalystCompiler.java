package io.despina.expr.catalyst;

import io.despina.expr.Aggregation;
import io.despina.expr.AggregationPlan;
import io.despina.expr.ColumnCopies;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.Hash;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Recent;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.aggregate.AggregateCode;
import io.despina.expr.catalyst.aggregate.AggregateProgram;
import io.despina.expr.catalyst.aggregate.AggregateSplit;
import io.despina.expr.catalyst.aggregate.CatalystAggregation;
import io.despina.expr.catalyst.analysis.AggregateAnalysis;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.ByArrival;
import io.despina.expr.catalyst.analysis.EqualitySplit;
import io.despina.expr.catalyst.analysis.NamedText;
import io.despina.expr.catalyst.analysis.Problems;
import io.despina.expr.catalyst.analysis.Rising;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.analysis.ScopePlan;
import io.despina.expr.catalyst.analysis.SelectList;
import io.despina.expr.catalyst.codegen.Binder;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.Interpreted;
import io.despina.expr.catalyst.codegen.PacketColumn;
import io.despina.expr.catalyst.codegen.Program;
import io.despina.expr.catalyst.codegen.SplitArray;
import io.despina.expr.catalyst.codegen.UncompiledException;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/** Checks and compiles with Catalyst, and remembers recent answers. Thread-safe. */
public final class CatalystCompiler implements ExpressionCompiler {
    private static final int SPARK_HASH_SEED = 42;
    /** Enough answers for some tens of graphs; each holds its expressions, some tens of kilobytes. */
    private static final int ANSWERS = 256;

    /**
     * An answer.
     *
     * @param repeatable whether it may be reused, see {@link SelectList#isRepeatable}
     */
    private record Answer<T>(T value, boolean repeatable) {
    }

    /** Computes an answer, under the settings. */
    private interface Question<T> {
        Answer<T> ask() throws ExpressionException;
    }

    private final Analysis analysis;
    /** Jobs share these; none depends on the time of a job. */
    private final Recent<List<Object>, Object> answers;

    /**
     * A compiler with the moment of this call as {@code now()}.
     *
     * @throws IllegalArgumentException if there is no such time zone
     */
    public CatalystCompiler(boolean ansi, String timeZone) {
        this(new Analysis(ansi, timeZone));
    }

    /** For tests: with an analysis that lacks a rule. */
    CatalystCompiler(Analysis analysis) {
        this(analysis, new Recent<>(ANSWERS));
    }

    private CatalystCompiler(Analysis analysis, Recent<List<Object>, Object> answers) {
        this.analysis = analysis;
        this.answers = answers;
    }

    /** The same for a job of that time. It shares all answers that do not depend on the time. */
    public CatalystCompiler at(long instantMicros) {
        return new CatalystCompiler(analysis.at(instantMicros), answers);
    }

    /** @param asked everything that the answer depends on, and its kind */
    @SuppressWarnings("unchecked")      // the kind determines the answer's type
    private <T> T answer(List<Object> asked, Question<T> question) throws ExpressionException {
        T known = (T) answers.get(asked);
        if (known != null) {
            return known;
        }
        Answer<T> answer = analysis.under(question::ask);
        if (answer.repeatable()) {
            answers.put(asked, answer.value());
        }
        return answer.value();
    }

    @Override
    public ProjectionPlan project(Scope scope, List<String> select) throws ExpressionException {
        return answer(List.of("project", scope, List.copyOf(select)), () -> projectUnder(scope, select, p -> p));
    }

    @Override
    public ProjectionPlan keys(Scope scope, List<String> select) throws ExpressionException {
        return answer(List.of("keys", scope, List.copyOf(select)),
                () -> projectUnder(scope, select, CatalystCompiler::normalised));
    }

    private static Program normalised(Program program) {
        return new Program(program.inputs(), program.stages(), Arrays.stream(program.results())
                .map(NormalizeFloatingNumbers$.MODULE$::normalize).toArray(Expression[]::new));
    }

    /** @param last applied to the bound list */
    private Answer<ProjectionPlan> projectUnder(Scope scope, List<String> select, UnaryOperator<Program> last)
            throws ExpressionException {
        ScopePlan inputs = new ScopePlan(scope);
        Problems problems = new Problems(select, scope);
        SelectList list = new SelectList(analysis, select, problems, 0);
        list.parse(inputs::asColumn);
        list.needNames();
        Function<List<Expression>, LogicalPlan> plan = inputs::project;
        LogicalPlan checked = list.analyse(plan);
        if (!(checked instanceof Project project)) {
            throw aggregateIn(select, parsed -> analysis.check(plan.apply(List.of(parsed))));
        }
        List<NamedExpression> outputs = Scala.list(project.projectList());
        list.checkColumns(outputs, plan);
        Program program = last.apply(new Binder(inputs).bind(list.finished()));
        return new Answer<>(plan(outputs, program, inputs, list.isRepeatable()), list.isRepeatable());
    }

    @Override
    public Set<Integer> rising(Scope scope, List<String> select) throws ExpressionException {
        return analysis.under(() -> Rising.in(analysis, scope, select));
    }

    private ExpressionException aggregateIn(List<String> select, Function<Expression, LogicalPlan> check) {
        Problems problems = new Problems(select);
        for (int k = 0; k < select.size(); k++) {
            if (!(check.apply(analysis.parse(select.get(k))) instanceof Project)) {
                problems.add(k, "aggregate_function", "`" + select.get(k) + "` is an aggregate, and here is one packet at a time",
                        "use the operator `aggregate`");
            }
        }
        return problems.exception();
    }

    private ProjectionPlan plan(List<NamedExpression> outputs, Program program, ScopePlan inputs, boolean repeatable) {
        List<Column> columns = columns(outputs, program);
        List<Integer> origins = origins(outputs, program, inputs);
        Compiled<Projection> copies = ColumnCopies.of(inputs.scope(), origins);
        return new ProjectionPlan(new Schema(columns), origins, PacketColumn.ordinals(program.reads(), inputs),
                copies == null ? projection(program, columns, repeatable) : copies);
    }

    /** As in {@link ProjectionPlan#origins}. A plain column may still be changed, like the floats of groups' keys. */
    private static List<Integer> origins(List<NamedExpression> outputs, Program program, ScopePlan inputs) {
        List<Integer> origins = new ArrayList<>(inputs.origins(outputs));
        for (int k = 0; k < origins.size(); k++) {
            if (!(program.results()[k] instanceof PacketColumn)) {
                origins.set(k, -1);
            }
        }
        return origins;
    }

    private static List<Column> columns(List<NamedExpression> outputs, Program program) {
        List<Column> columns = new ArrayList<>();
        for (int k = 0; k < outputs.size(); k++) {
            Expression output = (Expression) outputs.get(k);
            columns.add(new Column(outputs.get(k).name(), SparkTypes.type(output.dataType()), program.results()[k].nullable()));
        }
        return columns;
    }

    /**
     * A function from a program. Each task gets it from its own copy of the program.
     *
     * @param repeatable whether other jobs would get the same
     */
    private <P, F> Compiled<F> compiled(P program, boolean repeatable, BiFunction<P, Integer, F> function,
            Function<P, CodeBytes.Form> form) {
        Program.Prototype<P> frozen = new Program.Prototype<>(program);
        return new Compiled<>() {
            @Override
            public F instance(int partition) {
                return analysis.under(() -> function.apply(frozen.thaw(), partition));
            }

            @Override
            public byte[] code() {
                return repeatable ? analysis.under(() -> CodeBytes.of(form.apply(frozen.thaw()))) : null;
            }
        };
    }

    private static <F> F initialized(F function, int partition) {
        ((Generated) function).initialize(partition);
        return function;
    }

    /** For tests: bytes of the largest method that a select list compiles to. */
    int largestMethod(Scope scope, List<String> select) {
        return analysis.under(() -> {
            ScopePlan inputs = new ScopePlan(scope);
            Project checked = (Project) analysis.check(inputs.project(select.stream().map(analysis::parse).toList()));
            Program program = new Binder(inputs).bind(analysis.finish(checked));
            return Codegen.projection(program, columns(Scala.list(checked.projectList()), program)).largestMethod();
        });
    }

    private Compiled<Projection> projection(Program program, List<Column> columns, boolean repeatable) {
        return compiled(program, repeatable, (p, partition) -> initialized(SplitArray.of(p,
                Codegen.projectionOrInterpreted(p, columns)), partition), p -> CodeBytes.projection(p, columns));
    }

    @Override
    public Compiled<Predicate> predicate(Scope scope, String condition) throws ExpressionException {
        return answer(List.of("predicate", scope, condition), () -> {
            ScopePlan inputs = new ScopePlan(scope);
            SelectList list = texts(List.of(condition), inputs);
            LogicalPlan checked = filtered(list, inputs);
            Expression resolved = ((Filter) checked.find(Scala.test(p -> p instanceof Filter)).get()).condition();
            return new Answer<>(compiled(single(inputs, resolved), list.isRepeatable(),
                    (p, partition) -> initialized(predicate(p), partition), CodeBytes::predicate), list.isRepeatable());
        });
    }

    /** Parses texts over the scope. */
    private SelectList texts(List<String> texts, ScopePlan inputs) {
        SelectList list = new SelectList(analysis, texts, new Problems(texts, inputs.scope()), 0);
        list.parse(inputs::preferUnqualified);
        return list;
    }

    private static LogicalPlan filtered(SelectList condition, ScopePlan inputs) throws ExpressionException {
        return condition.analyse(parsed -> new Filter(parsed.get(0), inputs.plan()));
    }

    private Program single(ScopePlan inputs, Expression resolved) {
        LogicalPlan plan = new Project(Scala.seq(SelectList.alias(resolved, "value")), inputs.plan());
        return new Binder(inputs).bind(analysis.finish(plan));
    }

    @Override
    public Compiled<Hash> hash(Scope scope, List<String> keys) throws ExpressionException {
        return answer(List.of("hash", scope, List.copyOf(keys)), () -> {
            ScopePlan inputs = new ScopePlan(scope);
            SelectList list = texts(keys, inputs);
            LogicalPlan checked = list.analyse(parsed -> new Project(
                    Scala.seq(SelectList.alias(hashOf(parsed.stream().map(SelectList::unnamed).toList()), "hash")),
                    inputs.plan()));
            Murmur3Hash hash = (Murmur3Hash) SelectList.unnamed((Expression) ((Project) checked).projectList().head());
            // Spark's hash treats -0.0 as 0.0 and all NaNs alike, so keys need no normalising here.
            return new Answer<>(compiled(single(inputs, hash), list.isRepeatable(),
                    (p, partition) -> initialized(hash(p), partition), CodeBytes::hash), list.isRepeatable());
        });
    }

    private static Predicate predicate(Program program) {
        try {
            return Codegen.predicate(program).instance(Predicate.class);
        } catch (UncompiledException e) {
            return new Interpreted(program, List.of());
        }
    }

    private static Hash hash(Program program) {
        try {
            return Codegen.hash(program).instance(Hash.class);
        } catch (UncompiledException e) {
            return new Interpreted(program, List.of());
        }
    }

    private static Expression hashOf(List<Expression> keys) {
        return new Murmur3Hash(Scala.seq(keys), SPARK_HASH_SEED);
    }

    @Override
    public AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket,
            WindowNames window, List<Integer> order) throws ExpressionException {
        AggregateAnalysis.Request request = new AggregateAnalysis.Request(input, List.copyOf(groupBy),
                List.copyOf(select), perPacket, window, List.copyOf(order));
        return answer(List.of("aggregate", request), () -> {
            AggregateAnalysis list = new AggregateAnalysis(analysis, request);
            AggregateSplit split = new AggregateSplit(list, list.check());
            AggregateProgram program = split.program();
            List<Column> columns = columns(list.outputs(), program.results());
            Compiled<Aggregation> compiled = compiled(program, list.isRepeatable(),
                    (p, partition) -> new CatalystAggregation(AggregateCode.of(p, columns), partition),
                    p -> CodeBytes.aggregation(p, columns));
            ProjectionPlan keys = groupBy.isEmpty() ? null
                    : plan(list.keys(), split.keys(), list.input(), list.isRepeatable());
            return new Answer<>(new AggregationPlan(keys == null ? null : keys.result(), keys, new Schema(columns),
                    list.origins(), reads(program, keys, list.input()), compiled, split.isMergeable()), list.isRepeatable());
        });
    }

    private static Set<Integer> reads(AggregateProgram program, ProjectionPlan keys, ScopePlan input) {
        Set<Integer> reads = new HashSet<>(PacketColumn.ordinals(program.reads(), input));
        if (keys != null) {
            reads.addAll(keys.reads());
        }
        return reads;
    }

    @Override
    public Equalities equalities(Scope scope, String condition) throws ExpressionException {
        return analysis.under(() -> {
            ScopePlan inputs = new ScopePlan(scope);
            filtered(texts(List.of(condition), inputs), inputs);
            return new EqualitySplit(analysis, inputs, condition).split();
        });
    }

    @Override
    public void checkSyntax(List<String> texts) throws ExpressionException {
        Problems problems = new Problems(texts);
        analysis.under(() -> new SelectList(analysis, texts, problems, 0).parse(e -> e));
        problems.throwIfAny();
    }

    @Override
    public void checkUnnamed(List<String> texts) throws ExpressionException {
        Problems problems = new Problems(texts);
        for (int k = 0; k < texts.size(); k++) {
            int text = k;
            analysis.under(() -> {
                NamedText.refuseName(text, texts.get(text), problems);
                return null;
            });
        }
        problems.throwIfAny();
    }

    @Override
    public List<Problem> cautions(List<String> texts) {
        Problems problems = new Problems(texts);
        for (int k = 0; k < texts.size(); k++) {
            if (Problems.CAUTION.matcher(texts.get(k)).find()) {
                int text = k;
                problems.caution(text, analysis.under(() -> analysis.parse(texts.get(text))));
            }
        }
        return problems.found();
    }

    @Override
    public List<Problem> arrivals(List<String> texts, List<String> order) {
        return ByArrival.in(analysis, texts, order);
    }
}
