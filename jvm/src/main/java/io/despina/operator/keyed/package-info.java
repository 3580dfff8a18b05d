/** Operators that keep something for each group until its time has passed. */
package io.despina.operator.keyed;
