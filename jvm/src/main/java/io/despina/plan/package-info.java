/**
 * From a graph to a plan: names resolved, types checked, links partitioned, chains fused. Pure: no I/O, no threads. Begin
 * with {@link io.despina.plan.Planner}; the other public types are the data it gives.
 */
package io.despina.plan;
