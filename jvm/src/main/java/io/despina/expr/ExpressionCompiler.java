package io.despina.expr;

import io.despina.packet.Schema;
import java.util.List;
import java.util.Set;

/**
 * Checks and compiles Spark SQL expressions under one graph's settings. Thread-safe. Checking is cheap enough for every graph;
 * code is generated for the first instance. Several jobs may get the same answer.
 *
 * <p>A select list's texts are {@code expr AS name}, a bare column, or {@code *}.
 */
public interface ExpressionCompiler {

    ProjectionPlan project(Scope scope, List<String> select) throws ExpressionException;

    /** The same, but equal values have equal bytes: floats are normalised as GROUP BY does, -0.0 to 0.0 and NaN to one NaN. */
    ProjectionPlan keys(Scope scope, List<String> select) throws ExpressionException;

    /**
     * Ordinals of result columns that provably, in ANSI mode, never fall from row to row if the scope's columns do not: numbers
     * and timestamps computed from these by sums, products and the like.
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
     * @param window    what it may name of its window
     * @param order     columns that define the order for {@code first} and {@code last}, whatever the order of arrival; among
     *                  equal packets the last one to arrive counts. Empty if packets arrive in order
     */
    AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket, WindowNames window,
            List<Integer> order) throws ExpressionException;

    /**
     * Splits a condition at its ANDs into equalities between the scope's two inputs, and the rest. Type-checks the whole.
     *
     * @param scope two inputs, both with a name
     */
    Equalities equalities(Scope scope, String condition) throws ExpressionException;

    /** Only parses, for texts whose inputs are unknown. */
    void checkSyntax(List<String> texts) throws ExpressionException;

    /**
     * Refuses texts that end in a name, {@code expr AS name}, for places where names are useless. This also catches incomplete
     * conditions: in {@code x > 1 AND} the parser takes AND for a name.
     */
    void checkUnnamed(List<String> texts) throws ExpressionException;

    /** Random functions in valid texts: they are no errors, but their values differ from run to run. */
    List<ExpressionException.Problem> cautions(List<String> texts);

    /**
     * Aggregates in valid texts whose value depends on which packets arrive first: {@code collect_list} and the like where
     * nothing sorts the list, {@code any_value}, {@code max_by} where nothing breaks ties.
     *
     * @param order names of the columns that settle the order: the event time, and those that break ties; may be empty
     */
    List<ExpressionException.Problem> arrivals(List<String> texts, List<String> order);

    /** Generates now the code of everything that it has answered, and keeps it for other JVMs of this machine. */
    default void keepAll() {
    }
}
