package io.despina.expr;

import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A compiler that keeps the answers of another one, and their code, for JVMs that start later: these need neither Spark's
 * analyzer nor its code generator. It does not keep refusals and answers that differ from job to job. Not thread-safe; its
 * answers are.
 */
public final class KeepingCompiler implements ExpressionCompiler {
    private static final byte[] NOTHING = new byte[0];
    /** The scope of questions about texts only. */
    private static final Scope NOWHERE = new Scope(List.of());

    private final KeptAnswers kept;
    private final String settings;
    private final Supplier<ExpressionCompiler> compiler;
    /** The code of all answers. */
    private final List<Keeping<?>> code = new ArrayList<>();

    /** Asks one compiler or another. */
    private interface Question<T> {
        T ask(ExpressionCompiler compiler) throws ExpressionException;
    }

    /** Throws if something is wrong. */
    private interface Check {
        void with(ExpressionCompiler compiler) throws ExpressionException;
    }

    /** @param compiler called when an answer is not kept */
    public KeepingCompiler(KeptAnswers kept, boolean ansi, String timeZone, Supplier<ExpressionCompiler> compiler) {
        this.kept = kept;
        settings = ansi + " " + timeZone;
        this.compiler = compiler;
    }

    @Override
    public ProjectionPlan project(Scope scope, List<String> select) throws ExpressionException {
        byte[] question = question("project", scope, select);
        return keeping(scope, question, answer(question, c -> c.project(scope, select)));
    }

    @Override
    public ProjectionPlan keys(Scope scope, List<String> select) throws ExpressionException {
        byte[] question = question("keys", scope, select);
        return keeping(scope, question, answer(question, c -> c.keys(scope, select)));
    }

    @Override
    public Set<Integer> rising(Scope scope, List<String> select) throws ExpressionException {
        byte[] question = question("rising", scope, select);
        byte[] known = kept.get(question);
        if (known == null) {
            BitSet rising = new BitSet();
            compiler.get().rising(scope, select).forEach(rising::set);
            known = rising.toByteArray();
            kept.put(question, known);
        }
        return BitSet.valueOf(known).stream().boxed().collect(Collectors.toSet());
    }

    private ProjectionPlan keeping(Scope scope, byte[] question, ProjectionPlan plan) {
        return ColumnCopies.of(scope, plan.origins()) != null ? plan
                : new ProjectionPlan(plan.result(), plan.origins(), plan.reads(), keeping("code", question, plan.compiled()));
    }

    @Override
    public Compiled<Predicate> predicate(Scope scope, String condition) throws ExpressionException {
        byte[] question = question("predicate", scope, List.of(condition));
        return keeping("code", question, answer(question, c -> c.predicate(scope, condition)));
    }

    @Override
    public Compiled<Hash> hash(Scope scope, List<String> keys) throws ExpressionException {
        byte[] question = question("hash", scope, keys);
        return keeping("code", question, answer(question, c -> c.hash(scope, keys)));
    }

    @Override
    public AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket,
            WindowNames window, List<Integer> order) throws ExpressionException {
        Scope scope = Scope.of(input);
        byte[] question = question("aggregate " + perPacket + window + order + groupBy.size(), scope,
                java.util.stream.Stream.concat(groupBy.stream(), select.stream()).toList());
        AggregationPlan plan = answer(question, c -> c.aggregate(input, groupBy, select, perPacket, window, order));
        ProjectionPlan keys = plan.keys() == null || ColumnCopies.of(scope, plan.keys().origins()) != null ? plan.keys()
                : new ProjectionPlan(plan.keys().result(), plan.keys().origins(), plan.keys().reads(),
                        keeping("key", question, plan.keys().compiled()));
        return new AggregationPlan(plan.keySchema(), keys, plan.result(), plan.origins(), plan.reads(),
                keeping("code", question, plan.compiled()), plan.mergeable());
    }

    @Override
    public Equalities equalities(Scope scope, String condition) throws ExpressionException {
        return answer(question("equalities", scope, List.of(condition)), c -> c.equalities(scope, condition));
    }

    @Override
    public void checkSyntax(List<String> texts) throws ExpressionException {
        check("syntax", texts, compiler -> compiler.checkSyntax(texts));
    }

    @Override
    public void checkUnnamed(List<String> texts) throws ExpressionException {
        check("unnamed", texts, compiler -> compiler.checkUnnamed(texts));
    }

    /** Skips a check that has passed before. */
    private void check(String kind, List<String> texts, Check check) throws ExpressionException {
        byte[] question = question(kind, NOWHERE, texts);
        if (!kept.has(question)) {
            check.with(compiler.get());
            kept.put(question, NOTHING);
        }
    }

    @Override
    public List<ExpressionException.Problem> cautions(List<String> texts) {
        byte[] question = question("cautions", NOWHERE, texts);
        return kept.has(question) ? List.of() : keepingNone(question, compiler.get().cautions(texts));
    }

    @Override
    public List<ExpressionException.Problem> arrivals(List<String> texts, List<String> order) {
        byte[] question = question("arrivals " + order, NOWHERE, texts);
        return kept.has(question) ? List.of() : keepingNone(question, compiler.get().arrivals(texts, order));
    }

    /** Keeps only that there is nothing to warn of. */
    private List<ExpressionException.Problem> keepingNone(byte[] question, List<ExpressionException.Problem> found) {
        if (found.isEmpty()) {
            kept.put(question, NOTHING);
        }
        return found;
    }

    private <T> T answer(byte[] question, Question<T> asked) throws ExpressionException {
        byte[] known = kept.get(question);
        if (known != null) {
            return asked.ask(new Playback(known, compiler));
        }
        Recorder recorder = new Recorder(compiler.get());
        T answer = asked.ask(recorder);
        kept.put(question, recorder.answers());
        return answer;
    }

    private <F> Compiled<F> keeping(String part, byte[] question, Compiled<F> compiled) {
        Keeping<F> keeping = new Keeping<>(kept, part(part, question), compiled);
        code.add(keeping);
        return keeping;
    }

    @Override
    public void keepAll() {
        code.parallelStream().forEach(Keeping::known);
    }

    /** Code that is read if it is kept, and else compiled and kept. */
    private static final class Keeping<F> implements Compiled<F> {
        private final KeptAnswers kept;
        private final byte[] question;
        private final Compiled<F> compiled;
        /** Guarded by this. */
        private Compiled<F> known;

        Keeping(KeptAnswers kept, byte[] question, Compiled<F> compiled) {
            this.kept = kept;
            this.question = question;
            this.compiled = compiled;
        }

        synchronized Compiled<F> known() {
            if (known == null) {
                byte[] bytes = kept.get(question);
                if (bytes == null) {
                    bytes = compiled.code();
                    if (bytes != null) {
                        kept.put(question, bytes);
                    }
                }
                known = bytes == null ? compiled : Expressions.code(bytes);
            }
            return known;
        }

        @Override
        public void prepare() {
            known().prepare();
        }

        @Override
        public F instance(int partition) {
            return known().instance(partition);
        }
    }

    private byte[] question(String kind, Scope scope, List<String> texts) {
        return bytes(out -> {
            out.writeUTF(settings);
            out.writeUTF(kind);
            out.writeInt(scope.inputs().size());
            for (Scope.Input input : scope.inputs()) {
                out.writeUTF(input.name() == null ? "" : input.name());
                TypeBytes.write(input.schema(), out);
            }
            for (String text : texts) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                out.writeInt(utf8.length);
                out.write(utf8);
            }
        });
    }

    private static byte[] part(String part, byte[] question) {
        return bytes(out -> {
            out.writeUTF(part);
            out.write(question);
        });
    }

    private interface Writes {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] bytes(Writes writes) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            writes.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
