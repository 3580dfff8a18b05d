/**
 * Runs tasks. Each of its packages knows only those before it: {@code deployment} describes what is to run, {@code worker} runs
 * any task on a thread, {@code task} is the task itself, which moves packets from its input channels through one operator or a
 * fused chain to its output ports, and {@code host} keeps the tasks of a process, by job.
 */
package io.despina.runtime;
