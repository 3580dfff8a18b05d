/** Operators that bring packets into the graph: generated ones, and those of files. */
package io.despina.operator.source;
