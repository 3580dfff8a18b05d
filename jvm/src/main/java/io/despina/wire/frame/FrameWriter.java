package io.despina.wire.frame;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.metrics.LinkCounters.WireCounters;
import io.despina.packet.Bytes;
import io.despina.wire.compress.Compressor;
import io.netty.buffer.ByteBuf;

/** Turns a data channel's segments into bytes, as many at a time as the buffer takes: a frame may span buffers. */
public final class FrameWriter {
    private final int channel;
    private final int attempt;
    private final Compressor compressor;
    private final WireCounters counters;
    private final FrameHeader header = new FrameHeader();
    private final byte[] signal = new byte[FrameHeader.SIGNAL_BYTES];

    private long sequence;
    private Segment segment;
    /** The compressed payload of the frame being written, or null. */
    private Segment packed;
    private int headerLeft;
    private byte[] payload;
    private int at;
    private int end;

    /** @param attempt of the job */
    public FrameWriter(int channel, int attempt, Compressor compressor, WireCounters counters) {
        this.channel = channel;
        this.attempt = attempt;
        this.compressor = compressor;
        this.counters = counters;
    }

    /** Whether no frame is being written. */
    public boolean isDone() {
        return segment == null;
    }

    /** Takes the next segment, with its ownership. */
    public void begin(Segment next) {
        segment = next;
        header.of(next.kind.ordinal(), channel, sequence++).attempt(attempt).packets(next.packets, next.origin);
        if (next.kind != SegmentKind.DATA) {
            Bytes.putLong(signal, 0, next.value);
            header.flags(next.exact ? FrameHeader.EXACT : 0);
            header.payload(signal, 0, FrameHeader.SIGNAL_BYTES, FrameHeader.SIGNAL_BYTES);
            source(signal, 0, FrameHeader.SIGNAL_BYTES);
        } else {
            packed = compressor.compress(next);
            if (packed == null) {
                plain(next);
            } else {
                header.flags(compressor.isShuffled() ? FrameHeader.COMPRESSED | FrameHeader.SHUFFLED : FrameHeader.COMPRESSED);
                counters.compressedSegments.add(1);
                header.payload(packed.bytes(), 0, packed.end, next.size());
                source(packed.bytes(), 0, packed.end);
            }
        }
        headerLeft = FrameHeader.BYTES;
        counters.bytesOnWire.add(header.length());
    }

    private void plain(Segment next) {
        int size = next.size();
        if (next.checksum == Segment.UNKNOWN) {
            header.payload(next.bytes(), next.start, size, size);
        } else {
            header.payload(size, size, (int) next.checksum);
        }
        source(next.bytes(), next.start, size);
    }

    private void source(byte[] bytes, int from, int length) {
        payload = bytes;
        at = from;
        end = from + length;
    }

    /** @return the segment, which the caller releases, if its frame is whole in {@code out} and what came before; else null */
    public Segment fill(ByteBuf out) {
        int n = Math.min(headerLeft, out.writableBytes());
        out.writeBytes(header.bytes, FrameHeader.BYTES - headerLeft, n);
        headerLeft -= n;
        n = Math.min(end - at, out.writableBytes());
        out.writeBytes(payload, at, n);
        at += n;
        if (headerLeft > 0 || at < end) {
            return null;
        }
        Segment whole = segment;
        segment = null;
        dropPacked();
        return whole;
    }

    private void dropPacked() {
        if (packed != null) {
            packed.release();
            packed = null;
        }
    }

    /** Releases what is part-written. */
    public void close() {
        if (segment != null) {
            segment.release();
            segment = null;
        }
        dropPacked();
    }
}
