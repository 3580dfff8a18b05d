package io.despina.plan;

/** Plans the operators of one type. */
public interface OperatorPlanner {

    /** @return null after reporting why the operator cannot be planned */
    PlanningResult plan(PlanningContext context);

    /**
     * An operator that gets rows from the user's program, in place of what it would read or make.
     *
     * @param declared what {@link #plan} answered, not null
     * @return null after reporting why rows cannot be given to it
     */
    PlanningResult fed(PlanningContext context, PlanningResult declared);
}
