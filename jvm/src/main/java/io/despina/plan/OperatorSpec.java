package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.expr.Compiled;
import io.despina.spec.Blocking;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What one operator is to do, every field decoded, defaults filled in. Schemas of its ports, event time and what all operators
 * have in common are in {@link PlannedOperator}. The answers here are those of most operators; a type that differs says so.
 */
public interface OperatorSpec {

    /** A reason why it cannot run on Spark, and what to do about it. */
    record SparkGap(String why, String hint) {
    }

    /** Everything that is compiled for it; some may be null. */
    default List<Compiled<?>> code() {
        return List.of();
    }

    /** What planning has worked out for fields of the plan's JSON, which replaces or joins what the file says. */
    default Map<String, Object> resolved() {
        return Map.of();
    }

    /** Whether it may wait with each packet (sleep, talk to others), and so is in no chain with others. */
    default boolean blocks() {
        return false;
    }

    /** The user's class that it runs, which the resources that host it must allow; null for none. */
    default String userClass() {
        return null;
    }

    /** When its task may wait for something outside. */
    default Blocking blocking() {
        return blocks() ? Blocking.ALWAYS : Blocking.NEVER;
    }

    default List<SparkGap> sparkGaps() {
        return List.of();
    }

    /** Whether its bad records are lines that it parses: Spark tells of those alone. */
    default boolean parsesLines() {
        return false;
    }

    /** Whether a packet can be late for it, if it has a port {@code late} and its input has event time. */
    default boolean canBeLate() {
        return true;
    }

    /** Whether packets and watermarks go on through it as they come, none held back. */
    default boolean passesOn() {
        return false;
    }

    /** Whether every packet that comes leaves by port {@code out}. */
    default boolean keepsAll() {
        return true;
    }

    /** Whether a source begins again when it is through, which takes event time back. */
    default boolean repeats() {
        return false;
    }

    /** Ordinals of a source's columns whose values never fall. */
    default Set<Integer> rising(ExpressionChecker expressions) {
        return Set.of();
    }

    /** Ordinals of the columns that are read of its input's packets; null where that may be all. */
    default Set<Integer> reads() {
        return null;
    }

    /** Whether packets are dealt out to its instances by a key that it reads itself. */
    default boolean isKeyed() {
        return false;
    }

    /**
     * Refuses sources that it cannot be linked behind, once everything is planned.
     *
     * @param sources of its packets, by id
     */
    default void checkSources(Graph.Operator written, Supplier<Map<String, OperatorSpec>> sources, Diagnostics diagnostics) {
    }
}
