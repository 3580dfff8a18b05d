/** Operators that bring packets into the graph: generated ones, those of files, and those that the user's program gives. */
package io.despina.operator.source;
