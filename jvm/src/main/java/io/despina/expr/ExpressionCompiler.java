package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;
import java.util.Set;

/**
 * Checks and compiles Spark SQL expressions under one graph's settings. Thread-safe. Checking is cheap enough to be done for
 * every graph; code is generated when an instance is asked for. The same answer may be given to several jobs.
 *
 * <p>A select list's texts are {@code expr AS name}, a bare column, or {@code *}.
 */
public interface ExpressionCompiler {

    ProjectionPlan project(Scope scope, List<String> select) throws ExpressionException;

    /** The same, but equal values have equal bytes: floats are normalised as GROUP BY does, -0.0 to 0.0 and NaN to one NaN. */
    ProjectionPlan keys(Scope scope, List<String> select) throws ExpressionException;

    /**
     * Ordinals of those result columns of which it can be seen, in ANSI mode, that they never fall from row to row as long as
     * the scope's columns do not: numbers and timestamps that sums, products and the like make of them.
     */
    Set<Integer> rising(Scope scope, List<String> select) throws ExpressionException;

    Compiled<Predicate> predicate(Scope scope, String condition) throws ExpressionException;

    Compiled<Hash> hash(Scope scope, List<String> keys) throws ExpressionException;

    /**
     * A select list with aggregates over one input.
     *
     * <p>A problem's text index counts over {@code groupBy} first, then over {@code select}.
     *
     * @param groupBy   key expressions, may be empty; {@code expr AS name} allowed, the list may then use that name
     * @param perPacket whether the list may name the packet's own columns outside of aggregates, as {@code trailing}
     *                  windows and {@code emit: each} do
     * @param windowed  whether it may name {@code window.start}, {@code window.end} and {@code window_time} (end - 1 µs)
     * @param order     columns by which {@code first} and {@code last} find theirs, whatever comes first: of packets that are
     *                  alike in them, the one that came last; empty where packets come in order
     */
    AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket, boolean windowed,
            List<Integer> order) throws ExpressionException;

    /**
     * Splits a condition at its ANDs into equalities between the scope's two inputs, and the rest. Type-checks the whole.
     *
     * @param scope two inputs, both with a name
     */
    Equalities equalities(Scope scope, String condition) throws ExpressionException;

    /** Only parses: for texts whose inputs are not known. */
    void checkSyntax(List<String> texts) throws ExpressionException;

    /**
     * Refuses texts that end in a name, {@code expr AS name}: for places where nothing can use it. A condition that breaks off
     * reads so too: in {@code x > 1 AND} the parser takes AND for a name.
     */
    void checkUnnamed(List<String> texts) throws ExpressionException;

    /** Functions of chance in texts that are sound: what they give is another value in each run, and no error. */
    List<ExpressionException.Problem> cautions(List<String> texts);

    /** Works out now what instances of all that it has answered would wait for, and keeps it for other JVMs of this machine. */
    default void keepAll() {
    }
}
