/** Operators that take packets out of the graph: files, the user's program, the terminal, nowhere. */
package io.despina.operator.sink;
