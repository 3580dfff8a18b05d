/**
 * Packets as Arrow, and back: record batches alone ({@link io.despina.arrow.BatchWriter}, {@link io.despina.arrow.BatchReader}),
 * where both sides have agreed on their schema, and whole streams ({@link io.despina.arrow.StreamWriter}) for programs that know
 * nothing of us. Values are copied from a packet's bytes and into them, without Arrow's vectors or Spark's rows between.
 */
package io.despina.arrow;
