/**
 * Where a plan runs: the deployment file, and the assignment of tasks to resources. Pure: no I/O, no threads. Start with {@link
 * io.despina.placement.Placement}.
 */
package io.despina.placement;
