package io.despina.expr;

import io.despina.packet.Schema;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Answers what a {@link Recorder} has recorded, in the same order: planning a graph again asks the same questions. Expressions
 * are compiled when their first instance is asked for, so only where they run. Not thread-safe while planning; what it answers
 * is.
 */
public final class Replay implements ExpressionCompiler {

    /** The question again, to a compiler of our own. */
    private interface Question<F> {
        Compiled<F> ask(ExpressionCompiler compiler) throws ExpressionException;
    }

    /** Reads what belongs to one answer. */
    private interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    private final DataInputStream in;
    private final Supplier<ExpressionCompiler> compiler;

    /** @param compiler of this JVM, asked when code is needed */
    public Replay(byte[] answers, Supplier<ExpressionCompiler> compiler) {
        in = new DataInputStream(new ByteArrayInputStream(answers));
        this.compiler = compiler;
    }

    @Override
    public ProjectionPlan project(Scope scope, List<String> select) {
        return answer(Recorder.Kind.PROJECTION, from -> {
            Schema result = TypeBytes.readSchema(from);
            List<Integer> origins = ordinals(from);
            return projection(result, origins, Copies.of(scope, origins), c -> c.project(scope, select).compiled());
        });
    }

    @Override
    public Compiled<Predicate> predicate(Scope scope, String condition) {
        return answer(Recorder.Kind.PREDICATE, from -> later(c -> c.predicate(scope, condition)));
    }

    @Override
    public Compiled<Hash> hash(Scope scope, List<String> keys) {
        return answer(Recorder.Kind.HASH, from -> later(c -> c.hash(scope, keys)));
    }

    @Override
    public AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket,
            boolean windowed) {
        return answer(Recorder.Kind.AGGREGATION, from -> {
            ProjectionPlan keys = !from.readBoolean() ? null
                    : keys(from, input, c -> c.aggregate(input, groupBy, select, perPacket, windowed).keys().compiled());
            Schema result = TypeBytes.readSchema(from);
            return new AggregationPlan(keys == null ? null : keys.result(), keys, result, ordinals(from),
                    later(c -> c.aggregate(input, groupBy, select, perPacket, windowed).compiled()));
        });
    }

    @Override
    public Equalities equalities(Scope scope, String condition) {
        return answer(Recorder.Kind.EQUALITIES, from -> {
            List<String> left = texts(from);
            List<String> right = texts(from);
            List<String> rest = texts(from);
            return new Equalities(left, right, rest.isEmpty() ? null : rest.get(0));
        });
    }

    /** @throws IllegalArgumentException if another answer, or none, was recorded */
    private <T> T answer(Recorder.Kind kind, Reader<T> reader) {
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

    private ProjectionPlan keys(DataInputStream from, Schema input, Question<Projection> question) throws IOException {
        Schema keys = TypeBytes.readSchema(from);
        List<Integer> origins = ordinals(from);
        return projection(keys, origins, Copies.ofKeys(Scope.of(input), origins, keys), question);
    }

    private ProjectionPlan projection(Schema result, List<Integer> origins, Compiled<Projection> copies,
            Question<Projection> question) {
        return new ProjectionPlan(result, origins, copies == null ? later(question) : copies);
    }

    /** Compiled when first needed: tasks of other resources never need it here. */
    private <F> Compiled<F> later(Question<F> question) {
        return new Compiled<>() {
            /** Guarded by this. */
            private Compiled<F> compiled;

            @Override
            public void prepare() {
                compiled().instance(0);
            }

            @Override
            public F instance(int partition) {
                return compiled().instance(partition);
            }

            private synchronized Compiled<F> compiled() {
                if (compiled == null) {
                    try {
                        compiled = question.ask(compiler.get());
                    } catch (ExpressionException e) {
                        throw new IllegalArgumentException("checked elsewhere, refused here: " + e.getMessage(), e);
                    }
                }
                return compiled;
            }
        };
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
