/**
 * Protobuf's binary form of records. A descriptor file says which fields a message has; these are resolved once to the columns of
 * the graph, and then records are read, byte by byte, straight into a row:
 * {@link io.despina.operator.record.protobuf.ProtobufReader}, {@link io.despina.operator.record.protobuf.ProtobufWriter}.
 */
package io.despina.operator.record.protobuf;
