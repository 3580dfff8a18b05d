package io.despina.link;

import io.despina.buffer.SegmentPool;
import java.util.function.LongSupplier;

/**
 * What the output ports of a task share.
 *
 * @param pool           where segments come from
 * @param maxPacketBytes the largest packet
 * @param clock          nanoseconds of the job's clock
 */
public record PortSettings(SegmentPool pool, int maxPacketBytes, LongSupplier clock) {
}
