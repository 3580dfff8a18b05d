package io.despina.link;

import io.despina.buffer.Overdraft;
import io.despina.buffer.SegmentPool;
import java.util.function.LongSupplier;

/**
 * What output ports are created with.
 *
 * @param pool           where segments come from
 * @param maxPacketBytes the largest packet
 * @param clock          nanoseconds of the job's clock
 * @param rank           of their packets
 */
public record PortSettings(SegmentPool pool, int maxPacketBytes, LongSupplier clock, Overdraft.Rank rank) {
}
