package io.despina.api;

/** What an object is told about its place in the graph. */
public interface Context {

    /** The operator's id in the graph. */
    String operatorId();

    /** Which instance of the operator it is, from 0. */
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

    /** The columns of the rows that come; a source has none, and may not ask. */
    Columns input();

    /** The columns of the rows that leave, the graph's {@code schema}; a sink has none, and may not ask. */
    Columns output();

    /**
     * What is kept by key.
     *
     * @throws IllegalStateException if the class declares no {@link RowOperator#state}
     */
    RowState state();

    /** Writes a line on the standard error of the command. Seldom, never for each row. */
    void warn(String what);
}
