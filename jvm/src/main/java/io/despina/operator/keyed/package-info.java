/** Operators that keep packets, or something for each group, until their time has passed. */
package io.despina.operator.keyed;
