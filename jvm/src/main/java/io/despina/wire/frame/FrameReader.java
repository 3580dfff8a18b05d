package io.despina.wire.frame;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.packet.Bytes;
import io.despina.wire.compress.Lz4;
import io.despina.wire.compress.Shuffle;
import io.netty.buffer.ByteBuf;
import net.jpountz.lz4.LZ4Exception;

/**
 * Turns a data channel's bytes into segments: the payload goes from the socket's buffer straight into a pooled segment, which is
 * handed on only after all of it has been checked. Memory is taken only after the header has been checked.
 */
public final class FrameReader {

    /** Where segments come from and go to. */
    public interface SegmentHandler {
        /** A segment of at least {@code bytes}, or null to wait: read again when there may be one. */
        Segment take(int bytes);

        /** A segment for compressed or shuffled bytes, released soon. */
        Segment scratch(int bytes);

        Segment signal(SegmentKind kind, long value, boolean exact);

        /** @return false to stop reading here, until read again */
        boolean received(Segment segment);
    }

    private static final SegmentKind[] KINDS = SegmentKind.values();

    private final int channel;
    private final int attempt;
    private final int mostRaw;
    private final SegmentHandler handler;
    private final FrameHeader header = new FrameHeader();
    private final byte[] signal = new byte[FrameHeader.SIGNAL_BYTES];

    private int headerHas;
    private int payloadHas;
    /** The segment that gets the raw bytes of the frame being read; null for a signal, or while there is no memory. */
    private Segment segment;
    /** The bytes of a compressed frame as they arrive; else null. */
    private Segment packed;
    private long sequence;
    private boolean ended;

    /**
     * @param attempt of the job
     * @param mostRaw the most bytes of packets that a frame of this channel carries
     */
    public FrameReader(int channel, int attempt, int mostRaw, SegmentHandler handler) {
        this.channel = channel;
        this.attempt = attempt;
        this.mostRaw = mostRaw;
        this.handler = handler;
    }

    /** Whether the channel's END has been read. */
    public boolean hasEnded() {
        return ended;
    }

    /**
     * Reads what has arrived.
     *
     * @return true if all of {@code in} is read, false if the target wants a pause
     * @throws FrameException if a frame is wrong; nothing more can be read then
     */
    public boolean read(ByteBuf in) throws FrameException {
        while (true) {
            if (headerHas < FrameHeader.BYTES) {
                int n = Math.min(FrameHeader.BYTES - headerHas, in.readableBytes());
                in.readBytes(header.bytes, headerHas, n);
                headerHas += n;
                if (headerHas < FrameHeader.BYTES) {
                    return true;
                }
                checkHeader();
            }
            if (isData() && segment == null && !makeRoom()) {
                return false;
            }
            if (!fill(in)) {
                return true;
            }
            if (!finish()) {
                return false;
            }
        }
    }

    private boolean isData() {
        return header.kind() == SegmentKind.DATA.ordinal();
    }

    private void checkHeader() throws FrameException {
        header.check(mostRaw);
        if (header.kind() == FrameHeader.CONTROL) {
            throw new FrameException("control frame on a data channel");
        }
        if (header.channel() != channel) {
            throw new FrameException("frame of channel " + header.channel() + " on the connection of channel " + channel);
        }
        requireAttempt(header, attempt);
        if (header.sequence() != sequence) {
            throw new FrameException("frame " + header.sequence() + " where frame " + sequence + " must follow");
        }
        if (ended) {
            throw new FrameException("frame after the end of the channel");
        }
        if (header.isCompressed() && !isData()) {
            throw new FrameException("compressed signal");
        }
    }

    static void requireAttempt(FrameHeader header, int attempt) throws FrameException {
        if (header.attempt() != attempt) {
            throw new FrameException("frame of attempt " + header.attempt() + " on a connection of attempt " + attempt);
        }
    }

    private boolean makeRoom() {
        segment = handler.take(header.rawLength());
        if (segment != null && header.isCompressed()) {
            packed = handler.scratch(header.payloadLength());
        }
        return segment != null;
    }

    private byte[] payload() {
        return packed != null ? packed.bytes() : segment != null ? segment.bytes() : signal;
    }

    private boolean fill(ByteBuf in) {
        int n = Math.min(header.payloadLength() - payloadHas, in.readableBytes());
        in.readBytes(payload(), payloadHas, n);
        payloadHas += n;
        return payloadHas == header.payloadLength();
    }

    private boolean finish() throws FrameException {
        header.checkPayload(payload(), 0);
        Segment done;
        if (isData()) {
            if (packed != null) {
                unpack();
            }
            walk(segment.bytes(), header.rawLength());
            segment.end = header.rawLength();
            segment.packets = header.packets();
            segment.checksum = header.isCompressed() ? Segment.UNKNOWN : Integer.toUnsignedLong(header.payloadChecksum());
            done = segment;
            segment = null;
        } else {
            done = handler.signal(KINDS[header.kind()], Bytes.getLong(signal, 0), header.isExact());
            ended = done.kind == SegmentKind.END;
        }
        done.origin = header.origin();
        sequence++;
        headerHas = 0;
        payloadHas = 0;
        return handler.received(done);
    }

    private void unpack() throws FrameException {
        if (header.isShuffled()) {
            Segment shuffled = handler.scratch(header.rawLength());
            try {
                decompress(shuffled.bytes());
                int packets = header.packets();
                Shuffle.transpose(shuffled.bytes(), 0, segment.bytes(), header.rawLength() / packets, packets);
            } finally {
                shuffled.release();
            }
        } else {
            decompress(segment.bytes());
        }
        packed.release();
        packed = null;
    }

    private void decompress(byte[] to) throws FrameException {
        int raw = header.rawLength();
        int found;
        try {
            found = Lz4.DECOMPRESSOR.decompress(packed.bytes(), 0, header.payloadLength(), to, 0, raw);
        } catch (LZ4Exception e) {
            throw new FrameException("frame " + sequence + " does not decompress to its " + raw + " bytes: " + e.getMessage());
        }
        if (found != raw) {
            throw new FrameException("frame " + sequence + " decompresses to " + found + " bytes where its header says " + raw);
        }
    }

    /** Checks that the packets' lengths add up to the payload, and that there are as many as the header says. */
    private void walk(byte[] bytes, int end) throws FrameException {
        int at = 0;
        int count = 0;
        while (at < end) {
            int length = bytes[at];
            if (length >= 0) {
                // one length after the other, mostly: guessed, so that no packet's place waits for the length before it
                byte same = bytes[at];
                do {
                    at += 1 + length;
                    count++;
                } while (at < end && bytes[at] == same);
                continue;
            }
            at++;
            length &= 0x7f;
            int shift = 7;
            byte b;
            do {
                if (at == end || shift > 21) {
                    throw new FrameException("frame " + sequence + " ends within a packet's length");
                }
                b = bytes[at++];
                length |= (b & 0x7f) << shift;
                shift += 7;
            } while (b < 0);
            at += length;
            count++;
        }
        if (at != end || count != header.packets()) {
            throw new FrameException("packets of frame " + sequence + " end at " + at + " of " + end + " bytes, " + count + " of "
                    + header.packets());
        }
    }

    /** Releases what is part-read. */
    public void close() {
        if (segment != null) {
            segment.release();
            segment = null;
        }
        if (packed != null) {
            packed.release();
            packed = null;
        }
    }
}
