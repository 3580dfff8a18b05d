/** Operators that keep something for each group until its time has passed, in event order. */
package io.despina.operator.keyed;
