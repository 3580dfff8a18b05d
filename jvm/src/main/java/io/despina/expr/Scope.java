package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;

/**
 * The inputs that an expression may name. Functions take packets in this order.
 *
 * @param inputs at least one
 */
public record Scope(List<Input> inputs) {
    /** The name of an input of paths; no text can write it. */
    public static final String PATHS = " paths";

    /**
     * One input.
     *
     * @param name the qualifier ({@code left} in {@code left.x}); null if columns have no qualifier
     */
    public record Input(String name, Schema schema) {
    }

    public Scope {
        inputs = List.copyOf(inputs);
    }

    /** One input without a qualifier. */
    public static Scope of(Schema schema) {
        return new Scope(List.of(new Input(null, schema)));
    }

    /**
     * One more input, whose columns have the names of paths and calls: an expression that is written as {@code a.x},
     * {@code first(a.x)} or {@code count(a)} means the column of that name.
     */
    public Scope andPaths(Schema schema) {
        return and(PATHS, schema);
    }

    public Scope and(String name, Schema schema) {
        return new Scope(java.util.stream.Stream.concat(inputs.stream(), java.util.stream.Stream.of(new Input(name, schema)))
                .toList());
    }
}
