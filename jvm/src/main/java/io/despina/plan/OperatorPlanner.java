package io.despina.plan;

/** Plans the operators of one type. */
public interface OperatorPlanner {

    /** @return null after reporting why the operator cannot be planned */
    PlanningResult plan(PlanningContext context);

    /**
     * Plans the operator to take rows from the user's program, instead of those that it would read or make.
     *
     * @param declared the result of {@link #plan}, not null
     * @return null after reporting why it cannot take rows
     */
    PlanningResult fed(PlanningContext context, PlanningResult declared);

    /**
     * A sink of a graph of which a program reads one output.
     *
     * @param isRead whether it is this one's
     */
    PlanningResult readBy(boolean isRead);
}
