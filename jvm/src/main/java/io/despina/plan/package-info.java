/**
 * From a graph to a plan: names resolved, types checked, links partitioned, chains fused. Pure: no I/O, no threads. Begin
 * with {@link io.despina.plan.Planner}. How an operator of each type is planned, it is given
 * ({@link io.despina.plan.OperatorPlanner}).
 */
package io.despina.plan;
