/**
 * Avro's binary form of records. Avro's library parses schemas; what a writer's schema says is resolved once to the columns of
 * the graph, and then records are read, byte by byte, straight into a row: {@link io.despina.operator.record.avro.AvroReader},
 * {@link io.despina.operator.record.avro.AvroWriter}.
 */
package io.despina.operator.record.avro;
