/**
 * Records and packets, in both directions: {@link io.despina.operator.record.RecordDecoder} and {@link
 * io.despina.operator.record.RecordEncoder}. They know bytes, and neither files nor sockets.
 */
package io.despina.operator.record;
