/**
 * From a graph to a plan: names resolved, types checked, links partitioned, chains fused. Pure: no I/O, no threads. Start with
 * {@link io.despina.plan.Planner}. Its caller provides an {@link io.despina.plan.OperatorPlanner} for each operator type.
 */
package io.despina.plan;
