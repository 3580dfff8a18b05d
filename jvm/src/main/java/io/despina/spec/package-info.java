/** What a graph says of links and tasks, in the words of the graph file: read by the planner, obeyed by links and the runtime. */
package io.despina.spec;
