package io.despina.expr;

import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A compiler that records the types in its answers, so that another JVM can plan the same graph ({@link Playback}) without
 * loading Spark. Not thread-safe.
 */
public final class Recorder implements ExpressionCompiler {

    /** An answer's first byte. */
    enum AnswerKind { PROJECTION, PREDICATE, HASH, AGGREGATION, EQUALITIES }

    /** Writes one answer. */
    private interface Answer {
        void write(DataOutputStream out) throws IOException;
    }

    private final ExpressionCompiler compiler;
    private final List<Answer> answers = new ArrayList<>();

    public Recorder(ExpressionCompiler compiler) {
        this.compiler = compiler;
    }

    @Override
    public ProjectionPlan project(Scope scope, List<String> select) throws ExpressionException {
        return recorded(compiler.project(scope, select));
    }

    @Override
    public ProjectionPlan keys(Scope scope, List<String> select) throws ExpressionException {
        return recorded(compiler.keys(scope, select));
    }

    /** Not recorded: used for warnings only. */
    @Override
    public Set<Integer> rising(Scope scope, List<String> select) throws ExpressionException {
        return compiler.rising(scope, select);
    }

    private ProjectionPlan recorded(ProjectionPlan plan) {
        answers.add(out -> {
            kind(AnswerKind.PROJECTION, out);
            write(plan, out);
        });
        return plan;
    }

    @Override
    public Compiled<Predicate> predicate(Scope scope, String condition) throws ExpressionException {
        Compiled<Predicate> predicate = compiler.predicate(scope, condition);
        answers.add(out -> kind(AnswerKind.PREDICATE, out));
        return predicate;
    }

    @Override
    public Compiled<Hash> hash(Scope scope, List<String> keys) throws ExpressionException {
        Compiled<Hash> hash = compiler.hash(scope, keys);
        answers.add(out -> kind(AnswerKind.HASH, out));
        return hash;
    }

    @Override
    public AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket,
            WindowNames window, List<Integer> order) throws ExpressionException {
        AggregationPlan plan = compiler.aggregate(input, groupBy, select, perPacket, window, order);
        answers.add(out -> {
            kind(AnswerKind.AGGREGATION, out);
            out.writeBoolean(plan.keys() != null);
            if (plan.keys() != null) {
                write(plan.keys(), out);
            }
            TypeBytes.write(plan.result(), out);
            ordinals(plan.origins(), out);
            ordinals(plan.reads(), out);
            out.writeBoolean(plan.mergeable());
        });
        return plan;
    }

    @Override
    public Equalities equalities(Scope scope, String condition) throws ExpressionException {
        Equalities equalities = compiler.equalities(scope, condition);
        answers.add(out -> {
            kind(AnswerKind.EQUALITIES, out);
            texts(equalities.left(), out);
            texts(equalities.right(), out);
            texts(equalities.rest() == null ? List.of() : List.of(equalities.rest()), out);
        });
        return equalities;
    }

    @Override
    public void checkSyntax(List<String> texts) throws ExpressionException {
        compiler.checkSyntax(texts);
    }

    @Override
    public void checkUnnamed(List<String> texts) throws ExpressionException {
        compiler.checkUnnamed(texts);
    }

    /** Not recorded: warnings are not repeated. */
    @Override
    public List<ExpressionException.Problem> cautions(List<String> texts) {
        return compiler.cautions(texts);
    }

    /** Not recorded either. */
    @Override
    public List<ExpressionException.Problem> arrivals(List<String> texts, List<String> order) {
        return compiler.arrivals(texts, order);
    }

    @Override
    public void keepAll() {
        compiler.keepAll();
    }

    /** All answers so far. */
    public byte[] answers() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (Answer answer : answers) {
                answer.write(out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void kind(AnswerKind kind, DataOutputStream out) throws IOException {
        out.writeByte(kind.ordinal());
    }

    private static void write(ProjectionPlan plan, DataOutputStream out) throws IOException {
        TypeBytes.write(plan.result(), out);
        ordinals(plan.origins(), out);
        ordinals(plan.reads(), out);
    }

    private static void ordinals(Collection<Integer> ordinals, DataOutputStream out) throws IOException {
        out.writeInt(ordinals.size());
        for (int ordinal : ordinals) {
            out.writeInt(ordinal);
        }
    }

    private static void texts(List<String> texts, DataOutputStream out) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            out.writeInt(utf8.length);
            out.write(utf8);
        }
    }
}
