package io.despina.api;

/** The place of an object in the graph, and its connections to the engine. */
public interface Context {

    /** The operator's id in the graph. */
    String operatorId();

    /** The number of this instance of the operator, from 0. */
    int instance();

    int parallelism();

    /**
     * A text of the operator's {@code options}.
     *
     * @throws IllegalArgumentException if the graph does not give it
     */
    String option(String name);

    /** The same, or {@code otherwise} if the graph does not give it. */
    String option(String name, String otherwise);

    /** The columns of the input rows. A source has none and must not call this. */
    Columns input();

    /** The columns of the output rows, the graph's {@code schema}. A sink has none and must not call this. */
    Columns output();

    /**
     * The state by key.
     *
     * @throws IllegalStateException if the class declares no {@link RowOperator#state}
     */
    RowState state();

    /** Writes a line on the standard error of the command. For rare events, never for each row. */
    void warn(String what);
}
