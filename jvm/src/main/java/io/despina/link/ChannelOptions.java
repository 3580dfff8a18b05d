package io.despina.link;

import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;

/**
 * A channel's options. Those that concern both ends are the same at both.
 *
 * @param bounds           of this end's queue
 * @param queueTargetNanos bound on what is queued, in time at the current drain rate
 * @param maxPacketBytes   the largest packet
 * @param rank             of packets at this end, see {@link io.despina.buffer.Overdraft}
 */
public record ChannelOptions(BufferSpec buffer, QueueBounds bounds, CompressionSpec compression, long queueTargetNanos,
                             int maxPacketBytes, int rank) {

    /** The most bytes of packets that one segment of this channel carries. */
    public int maxSegmentBytes() {
        return Math.max(buffer.capacityBytes(), maxPacketBytes + Bytes.MAX_VARINT);
    }

    /** The reserved minimum of a local channel, for both ends: one small segment open, one queued. */
    public static long localMinimum() {
        return 2L * SegmentPool.SMALL;
    }

    /** The reserved minimum of the sending end of a remote channel: one small segment open, one being written. */
    public static long senderMinimum() {
        return 2L * SegmentPool.SMALL;
    }

    /** The reserved minimum of the receiving end of a remote channel: one full segment, as the far side may send it. */
    public long receiverMinimum() {
        return SegmentPool.sizeFor(buffer.capacityBytes());
    }
}
