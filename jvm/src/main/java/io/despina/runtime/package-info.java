/**
 * Where tasks run: the resource, its workers and blocking tier, timers, and the task itself, which moves packets from its
 * input channels through one operator or a fused chain to its output ports.
 */
package io.despina.runtime;
