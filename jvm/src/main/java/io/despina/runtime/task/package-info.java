/** The task: a source or the inputs, a chain of operators, and the output ports; its schedule, snapshots and end. */
package io.despina.runtime.task;
