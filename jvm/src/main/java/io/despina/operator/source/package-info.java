/** Operators that bring packets into the graph: {@code file}, {@code socket}, and generated ones here. */
package io.despina.operator.source;
