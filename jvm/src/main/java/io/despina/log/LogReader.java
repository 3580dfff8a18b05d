package io.despina.log;

import java.io.Closeable;
import java.io.IOException;

/** Reads records of a log, one after the other, while others are appended. One thread; blocks for the disk. */
public final class LogReader implements Closeable {
    private final Log log;
    private long expected;
    private LogSegment segment;
    /** As far as it was known when the segment was opened. */
    private long end;
    private SegmentCursor cursor;

    LogReader(Log log, long from) {
        this.log = log;
        expected = from;
    }

    /**
     * Goes to the next record: first to the one that has the item from which it reads.
     *
     * @return false if that is not written yet
     * @throws RottenLogException if it is not as it was written
     */
    public boolean next() throws IOException {
        while (expected < log.written()) {
            if (cursor == null) {
                open();
            } else if (cursor.expected() >= end) {
                close();
            } else if (cursor.next()) {
                if (cursor.expected() > expected) {
                    expected = cursor.expected();
                    return true;
                }
            } else {
                end = log.endOf(segment);
                if (cursor.expected() < end) {
                    throw rotten();
                }
            }
        }
        return false;
    }

    private void open() throws IOException {
        segment = log.segmentOf(expected);
        end = log.endOf(segment);
        cursor = new SegmentCursor(log.disk().open(segment.name.text()), segment.name);
        if (!cursor.begin(segment.name)) {
            throw rotten();
        }
    }

    private RottenLogException rotten() {
        return new RottenLogException("record " + cursor.expected() + " at byte " + cursor.place() + " of "
                + log.disk().place(segment.name.text()) + " is not as it was written");
    }

    /** The number of the current record's first item. */
    public long number() {
        return cursor.number();
    }

    public int items() {
        return cursor.items();
    }

    /** The current record's content is {@code bytes()[from(), to())}, until the next call of {@link #next}. */
    public byte[] bytes() {
        return cursor.bytes();
    }

    public int from() {
        return cursor.from();
    }

    public int to() {
        return cursor.to();
    }

    @Override
    public void close() throws IOException {
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
    }
}
