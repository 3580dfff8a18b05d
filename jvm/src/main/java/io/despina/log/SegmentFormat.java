package io.despina.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The bytes of a segment, big-endian: a head, then records without gaps.
 *
 * <pre>
 * head    0 "DSPNALG1" (8) · first number (8) · attempt (4) · CRC32C of those (4)
 * record  0 CRC32C of the head and of what follows here (4) · bytes of the content (4)
 *         8 number of its first item (8) · durable (8) · items (4)
 *        28 content
 * </pre>
 *
 * <p><b>durable</b>: everything before that number had been forced to the disk when the record was made. So whoever finds a
 * broken record, and behind it a whole one, can tell a write that a crash has torn from a disk that has lost what it had.
 */
final class SegmentFormat {
    static final int SEGMENT_BYTES = 24;
    static final int RECORD_BYTES = 28;
    static final int LENGTH = 4;
    static final int NUMBER = 8;
    static final int DURABLE = 16;
    static final int ITEMS = 24;
    private static final int SEGMENT_CRC = 20;
    private static final long MAGIC = 0x4453_504e_414c_4731L;

    private SegmentFormat() {
    }

    static byte[] head(int attempt, long first) {
        ByteBuffer head = ByteBuffer.allocate(SEGMENT_BYTES).putLong(MAGIC).putLong(first).putInt(attempt);
        CRC32C sum = new CRC32C();
        sum.update(head.array(), 0, SEGMENT_CRC);
        return head.putInt((int) sum.getValue()).array();
    }

    /** Whether it is a head as it was written, of that segment. */
    static boolean isHead(ByteBuffer head, int attempt, long first) {
        return head.limit() >= SEGMENT_BYTES && head.slice(0, SEGMENT_BYTES).equals(ByteBuffer.wrap(head(attempt, first)));
    }

    /** Seals the record that is {@code bytes[at, at + length)}, of which the content is there. */
    static void seal(ByteBuffer bytes, int at, int length, CRC32C sum, byte[] head) {
        bytes.putInt(at, checksum(bytes, at, length, sum, head));
    }

    /** Whether a record of {@code length} bytes is as it was written. */
    static boolean isWhole(ByteBuffer bytes, int at, int length, CRC32C sum, byte[] head) {
        return bytes.getInt(at) == checksum(bytes, at, length, sum, head);
    }

    private static int checksum(ByteBuffer bytes, int at, int length, CRC32C sum, byte[] head) {
        int limit = bytes.limit();
        int position = bytes.position();
        bytes.limit(at + length).position(at + LENGTH);
        sum.reset();
        sum.update(head);
        sum.update(bytes);
        bytes.limit(limit).position(position);
        return (int) sum.getValue();
    }
}
