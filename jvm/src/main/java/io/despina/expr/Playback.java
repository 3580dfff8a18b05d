package io.despina.expr;

import io.despina.packet.Schema;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Replays the answers of a {@link Recorder} in the same order, because planning a graph again asks the same questions. An
 * expression is compiled for its first instance, so only where it runs. Not thread-safe while planning; its answers are.
 */
public final class Playback implements ExpressionCompiler {

    /** The same question, for this JVM's own compiler. */
    private interface Question<T> {
        T ask(ExpressionCompiler compiler) throws ExpressionException;
    }

    /** Reads one answer. */
    private interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    private final DataInputStream in;
    private final Once<ExpressionCompiler> compiler;

    /** @param compiler gives this JVM's compiler; called once, when code is needed */
    public Playback(byte[] answers, Supplier<ExpressionCompiler> compiler) {
        in = new DataInputStream(new ByteArrayInputStream(answers));
        this.compiler = new Once<>(compiler);
    }

    @Override
    public ProjectionPlan project(Scope scope, List<String> select) {
        return projection(scope, c -> c.project(scope, select));
    }

    @Override
    public ProjectionPlan keys(Scope scope, List<String> select) {
        return projection(scope, c -> c.keys(scope, select));
    }

    /** Empty: this is for warnings only, which were given when the answers were recorded. */
    @Override
    public Set<Integer> rising(Scope scope, List<String> select) {
        return Set.of();
    }

    private ProjectionPlan projection(Scope scope, Question<ProjectionPlan> question) {
        return answer(Recorder.AnswerKind.PROJECTION, from -> {
            Schema result = TypeBytes.readSchema(from);
            List<Integer> origins = ordinals(from);
            Set<Integer> reads = Set.copyOf(ordinals(from));
            Once<ProjectionPlan> plan = asked(question);
            return projection(scope, new ProjectionPlan(result, origins, reads, compiled(() -> plan.get().compiled())));
        });
    }

    @Override
    public Compiled<Predicate> predicate(Scope scope, String condition) {
        return answer(Recorder.AnswerKind.PREDICATE, from -> compiled(asked(c -> c.predicate(scope, condition))));
    }

    @Override
    public Compiled<Hash> hash(Scope scope, List<String> keys) {
        return answer(Recorder.AnswerKind.HASH, from -> compiled(asked(c -> c.hash(scope, keys))));
    }

    @Override
    public AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket,
            WindowNames window, List<Integer> order) {
        return answer(Recorder.AnswerKind.AGGREGATION, from -> {
            Once<AggregationPlan> plan = asked(c -> c.aggregate(input, groupBy, select, perPacket, window, order));
            ProjectionPlan keys = !from.readBoolean() ? null : projection(Scope.of(input), new ProjectionPlan(
                    TypeBytes.readSchema(from), ordinals(from), Set.copyOf(ordinals(from)),
                    compiled(() -> plan.get().keys().compiled())));
            Schema result = TypeBytes.readSchema(from);
            return new AggregationPlan(keys == null ? null : keys.result(), keys, result, ordinals(from),
                    Set.copyOf(ordinals(from)), compiled(() -> plan.get().compiled()), from.readBoolean());
        });
    }

    @Override
    public Equalities equalities(Scope scope, String condition) {
        return answer(Recorder.AnswerKind.EQUALITIES, from -> {
            List<String> left = texts(from);
            List<String> right = texts(from);
            List<String> rest = texts(from);
            return new Equalities(left, right, rest.isEmpty() ? null : rest.get(0));
        });
    }

    /** Does nothing: the texts were valid when the answers were recorded. */
    @Override
    public void checkSyntax(List<String> texts) {
    }

    /** Does nothing, for the same reason. */
    @Override
    public void checkUnnamed(List<String> texts) {
    }

    /** Empty: warnings were given when the answers were recorded. */
    @Override
    public List<ExpressionException.Problem> cautions(List<String> texts) {
        return List.of();
    }

    /** Empty, for the same reason. */
    @Override
    public List<ExpressionException.Problem> arrivals(List<String> texts, List<String> order) {
        return List.of();
    }

    /** @throws IllegalArgumentException if another answer, or none, was recorded */
    private <T> T answer(Recorder.AnswerKind kind, Reader<T> reader) {
        try {
            int found = in.read();
            if (found != kind.ordinal()) {
                throw new IllegalArgumentException("planned in another way: asks for " + kind + ", answer " + found);
            }
            return reader.read(in);
        } catch (IOException e) {
            throw new IllegalArgumentException("an answer breaks off", e);
        }
    }

    /** The same plan, without a compiler for plain copies. */
    private static ProjectionPlan projection(Scope scope, ProjectionPlan plan) {
        Compiled<Projection> copies = ColumnCopies.of(scope, plan.origins());
        return copies == null ? plan : new ProjectionPlan(plan.result(), plan.origins(), plan.reads(), copies);
    }

    /** Asks when first needed: expressions of other resources' tasks are never needed here. */
    private <T> Once<T> asked(Question<T> question) {
        return new Once<>(() -> {
            try {
                return question.ask(compiler.get());
            } catch (ExpressionException e) {
                throw new IllegalArgumentException("checked elsewhere, refused here: " + e.getMessage(), e);
            }
        });
    }

    private static <F> Compiled<F> compiled(Supplier<Compiled<F>> code) {
        return new Compiled<>() {
            @Override
            public void prepare() {
                code.get().instance(0);
            }

            @Override
            public byte[] code() {
                return code.get().code();
            }

            @Override
            public F instance(int partition) {
                return code.get().instance(partition);
            }
        };
    }

    /** Keeps the first value of a supplier. Thread-safe. */
    private static final class Once<T> implements Supplier<T> {
        private final Supplier<T> from;
        /** Guarded by this. */
        private T value;

        Once(Supplier<T> from) {
            this.from = from;
        }

        @Override
        public synchronized T get() {
            if (value == null) {
                value = from.get();
            }
            return value;
        }
    }

    private static List<Integer> ordinals(DataInputStream from) throws IOException {
        List<Integer> ordinals = new ArrayList<>();
        for (int left = from.readInt(); left > 0; left--) {
            ordinals.add(from.readInt());
        }
        return ordinals;
    }

    private static List<String> texts(DataInputStream from) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int left = from.readInt(); left > 0; left--) {
            texts.add(new String(from.readNBytes(from.readInt()), StandardCharsets.UTF_8));
        }
        return texts;
    }
}
