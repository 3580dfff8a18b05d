package io.despina.wire.frame;

import io.despina.buffer.SegmentKind;
import io.despina.packet.Bytes;
import java.util.zip.CRC32C;

/**
 * A frame's header, a flyweight over its bytes (little endian).
 *
 * <pre>
 *  0 |            length             | of the frame, this header included
 *  4 |version| kind  | flags |   0   |
 *  8 |            channel            |
 * 12 |            attempt            | of the job; 0 in a control connection, which serves many jobs
 * 16 |           sequence            | of the frame in its channel, from 0
 *    |                               |
 * 24 |            packets            | in the payload
 * 28 |          raw length           | of the payload before compression
 * 32 |            origin             | due time of the oldest packet, nanoseconds of the job's clock
 *    |                               |
 * 40 |        payload CRC32C         | of the payload as it is on the wire
 * 44 |         header CRC32C         | of bytes 0 to 43
 * 48 |           payload             | packets; a signal's value (8 bytes); a control message
 *
 * kind: 0 data, 1 watermark, 2 idle, 3 barrier, 4 end, 5 control       flags: 1 compressed, 2 exact, 4 shuffled
 * </pre>
 *
 * <p>The payload has a checksum of its own, so that a segment that is passed on whole keeps it, from socket to socket.
 * Shuffled: before compression the packets, all of one length, were transposed ({@link io.despina.wire.compress.Shuffle}).
 */
public final class FrameHeader {
    public static final int BYTES = 48;
    static final int VERSION = 1;
    static final int CONTROL = SegmentKind.values().length;
    static final int COMPRESSED = 1;
    static final int EXACT = 2;
    static final int SHUFFLED = 4;
    private static final int FLAGS = COMPRESSED | EXACT | SHUFFLED;
    static final int SIGNAL_BYTES = Long.BYTES;

    private static final int LENGTH_AT = 0;
    private static final int VERSION_AT = 4;
    private static final int KIND_AT = 5;
    private static final int FLAGS_AT = 6;
    private static final int ZERO_AT = 7;
    private static final int CHANNEL_AT = 8;
    private static final int ATTEMPT_AT = 12;
    private static final int SEQUENCE_AT = 16;
    private static final int PACKETS_AT = 24;
    private static final int RAW_AT = 28;
    private static final int ORIGIN_AT = 32;
    private static final int PAYLOAD_CRC_AT = 40;
    private static final int CRC_AT = 44;

    final byte[] bytes = new byte[BYTES];
    private final CRC32C crc = new CRC32C();

    /** Fills in all but lengths and checksums, which {@link #payload} does. */
    FrameHeader of(int kind, int channel, long sequence) {
        java.util.Arrays.fill(bytes, (byte) 0);
        bytes[VERSION_AT] = VERSION;
        bytes[KIND_AT] = (byte) kind;
        Bytes.putInt(bytes, CHANNEL_AT, channel);
        Bytes.putLong(bytes, SEQUENCE_AT, sequence);
        return this;
    }

    FrameHeader attempt(int number) {
        Bytes.putInt(bytes, ATTEMPT_AT, number);
        return this;
    }

    FrameHeader packets(int packets, long origin) {
        Bytes.putInt(bytes, PACKETS_AT, packets);
        Bytes.putLong(bytes, ORIGIN_AT, origin);
        return this;
    }

    FrameHeader flags(int flags) {
        bytes[FLAGS_AT] = (byte) flags;
        return this;
    }

    /** To be called last: fills in lengths and checksums of the payload, as it goes on the wire. */
    FrameHeader payload(byte[] payload, int from, int length, int rawLength) {
        return payload(length, rawLength, checksum(payload, from, length));
    }

    /** The same, of a payload whose checksum is known. */
    FrameHeader payload(int length, int rawLength, int checksum) {
        Bytes.putInt(bytes, LENGTH_AT, BYTES + length);
        Bytes.putInt(bytes, RAW_AT, rawLength);
        Bytes.putInt(bytes, PAYLOAD_CRC_AT, checksum);
        return seal();
    }

    /** Makes the header's own checksum right. */
    FrameHeader seal() {
        Bytes.putInt(bytes, CRC_AT, checksum(bytes, 0, CRC_AT));
        return this;
    }

    private int checksum(byte[] of, int from, int length) {
        crc.reset();
        crc.update(of, from, length);
        return (int) crc.getValue();
    }

    int payloadChecksum() {
        return Bytes.getInt(bytes, PAYLOAD_CRC_AT);
    }

    int length() {
        return Bytes.getInt(bytes, LENGTH_AT);
    }

    int payloadLength() {
        return length() - BYTES;
    }

    int kind() {
        return bytes[KIND_AT];
    }

    int flags() {
        return bytes[FLAGS_AT];
    }

    boolean isCompressed() {
        return (flags() & COMPRESSED) != 0;
    }

    boolean isShuffled() {
        return (flags() & SHUFFLED) != 0;
    }

    boolean isExact() {
        return (flags() & EXACT) != 0;
    }

    int channel() {
        return Bytes.getInt(bytes, CHANNEL_AT);
    }

    int attempt() {
        return Bytes.getInt(bytes, ATTEMPT_AT);
    }

    long sequence() {
        return Bytes.getLong(bytes, SEQUENCE_AT);
    }

    int packets() {
        return Bytes.getInt(bytes, PACKETS_AT);
    }

    int rawLength() {
        return Bytes.getInt(bytes, RAW_AT);
    }

    long origin() {
        return Bytes.getLong(bytes, ORIGIN_AT);
    }

    /** Checks everything that can be checked before the payload arrives, length and version first. */
    void check(int mostRaw) throws FrameException {
        int length = length();
        if (length < BYTES || length - BYTES > mostRaw) {
            throw new FrameException("frame length " + length + "; this connection takes " + BYTES + " to "
                    + ((long) BYTES + mostRaw));
        }
        if (bytes[VERSION_AT] != VERSION) {
            throw new FrameException("frame version " + bytes[VERSION_AT] + "; this resource speaks " + VERSION);
        }
        requireSame("header", checksum(bytes, 0, CRC_AT), Bytes.getInt(bytes, CRC_AT));
        if (kind() < 0 || kind() > CONTROL) {
            throw new FrameException("frame kind " + kind() + "; known are 0 to " + CONTROL);
        }
        if ((flags() & ~FLAGS) != 0 || bytes[ZERO_AT] != 0) {
            throw new FrameException("frame flags " + flags() + "; known are " + FLAGS);
        }
        int raw = rawLength();
        if (raw < 0 || raw > mostRaw) {
            throw new FrameException("raw length " + raw + "; this connection takes at most " + mostRaw);
        }
        if (isCompressed() ? raw <= payloadLength() : raw != payloadLength()) {
            throw new FrameException("raw length " + raw + " with " + payloadLength()
                    + (isCompressed() ? " compressed bytes" : " bytes"));
        }
        checkCount(raw);
        if (isShuffled() && (!isCompressed() || kind() != SegmentKind.DATA.ordinal() || raw % packets() != 0)) {
            throw new FrameException("shuffled frame of kind " + kind() + " with " + packets() + " packets in raw length " + raw
                    + (isCompressed() ? "" : ", not compressed"));
        }
    }

    private void checkCount(int raw) throws FrameException {
        boolean data = kind() == SegmentKind.DATA.ordinal();
        if (data ? packets() < 1 || packets() > raw : packets() != 0) {
            throw new FrameException("packet count " + packets() + " in a frame of kind " + kind() + " with raw length " + raw);
        }
        if (!data && kind() != CONTROL && raw != SIGNAL_BYTES) {
            throw new FrameException("signal of " + raw + " bytes; a signal has " + SIGNAL_BYTES);
        }
    }

    void checkPayload(byte[] payload, int from) throws FrameException {
        requireSame("payload", checksum(payload, from, payloadLength()), payloadChecksum());
    }

    private void requireSame(String part, int found, int said) throws FrameException {
        if (found != said) {
            throw new FrameException(String.format("frame %d: its %s has CRC32C %08x, not %08x as it says", sequence(),
                    part, found, said));
        }
    }
}
