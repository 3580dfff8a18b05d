/** Streams into one, by event time: as-of and interval joins of two, and the ordered union of any number. */
package io.despina.operator.join;
