/** Sinks: {@code file} and {@code socket} have those that write to somewhere; the one that drops is here. */
package io.despina.operator.sink;
