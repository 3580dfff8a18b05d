/**
 * All state of operators: keyed tables, packets that wait in event order, windows by time. Each state has a name and a schema for
 * snapshots, and counts its memory. A value that outlives its packet is copied here and nowhere else. Nothing here is
 * thread-safe: a state belongs to one operator instance.
 */
package io.despina.state;
