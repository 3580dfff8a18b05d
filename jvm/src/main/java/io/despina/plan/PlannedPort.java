package io.despina.plan;

import io.despina.packet.Schema;
import io.despina.spec.EventTime;

/**
 * One port and its stream.
 *
 * @param eventTime null if the stream has none
 * @param linked    false for an output whose packets are dropped and counted
 */
public record PlannedPort(String name, Schema schema, EventTime eventTime, boolean linked) {
}
