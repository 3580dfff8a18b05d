package io.despina.plan;

import io.despina.packet.Schema;
import io.despina.spec.EventTime;

/**
 * The packets at a port, as far as planning knows them.
 *
 * @param time      null if the stream has no event time
 * @param unbounded whether it may be endless
 */
public record Stream(Schema schema, EventTime time, boolean unbounded) {

    public Stream with(Schema other, EventTime otherTime) {
        return new Stream(other, otherTime, unbounded);
    }
}
