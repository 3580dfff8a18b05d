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

    /**
     * The columns of the rows of an operator's input port: {@code in}, or one that the graph's {@code inputs} name.
     *
     * @throws IllegalArgumentException if the operator has no such port
     */
    default Columns input(String port) {
        throw new UnsupportedOperationException("only a RowOperator has ports with names");
    }

    /** The columns of the output rows, the graph's {@code schema}. A sink has none and must not call this. */
    Columns output();

    /**
     * Writes rows that leave by an operator's output port: {@code out}, or one that the graph's {@code outputs} name. So the
     * class chooses the way of each row. Ask for it once, in {@link RowOperator#open}, and use it where the class is given
     * {@code out}: in {@link RowOperator#process} and {@link RowOperator#end}.
     *
     * @throws IllegalArgumentException if the operator has no such port
     */
    default RowWriter writer(String port) {
        throw new UnsupportedOperationException("only a RowOperator has ports with names");
    }

    /**
     * The state by key.
     *
     * @throws IllegalStateException if the class declares no {@link RowOperator#state}
     */
    RowState state();

    /** Writes a line on the standard error of the command. For rare events, never for each row. */
    void warn(String what);
}
