/** Properties of links and tasks, named as in the graph file. The planner reads them; links and the runtime follow them. */
package io.despina.spec;
