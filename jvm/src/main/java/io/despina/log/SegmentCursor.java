package io.despina.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Goes through the records of a segment, one by one, as far as they are whole. One thread. */
final class SegmentCursor implements Closeable {
    private static final int BLOCK_BYTES = 1 << 17;
    /** No segment has so many items: a greater number is none. */
    private static final long FARTHEST = 1L << 40;

    private final LogFile file;
    private final byte[] head;
    private final CRC32C sum = new CRC32C();
    /** Bytes of the file from {@link #block} on. */
    private ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES).limit(0);
    private long block;
    /** In {@link #bytes}: the current record, and what follows. */
    private int record;
    private int behind;
    private long expected;

    /** @param file is this cursor's to close */
    SegmentCursor(LogFile file, SegmentName name) {
        this.file = file;
        head = SegmentFormat.head(name.attempt(), name.first());
        expected = name.first();
    }

    /** Whether the segment begins as it was written. Called first. */
    boolean begin(SegmentName name) throws IOException {
        if (!has(SegmentFormat.SEGMENT_BYTES) || !SegmentFormat.isHead(bytes, name.attempt(), name.first())) {
            return false;
        }
        behind = SegmentFormat.SEGMENT_BYTES;
        return true;
    }

    /** Goes to the next record. @return false if there is none, or it is not whole */
    boolean next() throws IOException {
        if (!has(SegmentFormat.RECORD_BYTES)) {
            return false;
        }
        int length = bytes.getInt(behind + SegmentFormat.LENGTH);
        if (length < 0 || bytes.getLong(behind + SegmentFormat.NUMBER) != expected
                || !has(SegmentFormat.RECORD_BYTES + (long) length)
                || !SegmentFormat.isWhole(bytes, behind, SegmentFormat.RECORD_BYTES + length, sum, head)) {
            return false;
        }
        record = behind;
        behind += SegmentFormat.RECORD_BYTES + length;
        expected += items();
        return true;
    }

    /** Whether the file ends where the last record ended: nothing was begun behind it. */
    boolean isAtEnd() throws IOException {
        return !has(1);
    }

    /** The place behind the last whole record. */
    long place() {
        return block + behind;
    }

    /** The number of the next record. */
    long expected() {
        return expected;
    }

    long number() {
        return bytes.getLong(record + SegmentFormat.NUMBER);
    }

    /** Everything before that number was durable when the record was made. */
    long durable() {
        return bytes.getLong(record + SegmentFormat.DURABLE);
    }

    int items() {
        return bytes.getInt(record + SegmentFormat.ITEMS);
    }

    /** The current record's content is {@code bytes()[from(), to())}, until the next call of {@link #next}. */
    byte[] bytes() {
        return bytes.array();
    }

    int from() {
        return record + SegmentFormat.RECORD_BYTES;
    }

    int to() {
        return behind;
    }

    /**
     * The greatest number before which everything was durable, as the whole records say that stand anywhere behind a broken one,
     * or 0.
     */
    long durableBehind() throws IOException {
        long durable = 0;
        while (has(SegmentFormat.RECORD_BYTES)) {
            int length = bytes.getInt(behind + SegmentFormat.LENGTH);
            long number = bytes.getLong(behind + SegmentFormat.NUMBER);
            if (length >= 0 && number >= expected && number - expected <= FARTHEST
                    && length <= file.length() - block - behind - SegmentFormat.RECORD_BYTES
                    && has(SegmentFormat.RECORD_BYTES + (long) length)
                    && SegmentFormat.isWhole(bytes, behind, SegmentFormat.RECORD_BYTES + length, sum, head)) {
                durable = Math.max(durable, bytes.getLong(behind + SegmentFormat.DURABLE));
                behind += SegmentFormat.RECORD_BYTES + length;
            } else {
                behind++;
            }
        }
        return durable;
    }

    /** Whether so many bytes of the file follow the last record; then they are in {@link #bytes}. */
    private boolean has(long wanted) throws IOException {
        if (bytes.limit() - behind >= wanted) {
            return true;
        }
        if (wanted > Integer.MAX_VALUE - Long.BYTES || block + behind + wanted > file.length()) {
            return false;
        }
        if (wanted > bytes.capacity() - behind) {
            block += behind;
            bytes = wanted <= bytes.capacity() ? bytes.position(behind).compact()
                    : ByteBuffer.allocate((int) wanted).put(bytes.position(behind));
            record -= behind;
            behind = 0;
        } else {
            bytes.position(bytes.limit()).limit(bytes.capacity());
        }
        file.read(block + bytes.position(), bytes);
        bytes.flip();
        return bytes.limit() - behind >= wanted;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
