package io.despina.operator.source.file;

import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * One file of a source: the position of reading and, while it is open, its records and the packets of the one found last. A file
 * that is closed and opened again continues with its next packet.
 */
final class SourceFile implements Closeable {

    /**
     * How a file is read.
     *
     * @param truncated called when a followed file was truncated: the file is read from its beginning unless this throws; null if
     *                  not followed
     */
    record Options(Schema schema, FileRecords.Opener opener, Truncated truncated) {
    }

    interface Truncated {
        void accept(TruncatedException why) throws IOException;
    }

    private Path path;
    private final Object key;
    private final Options options;
    /** While closed: the position, and how many packets of the line there were sent. */
    private FileMark mark;
    private FileRecords records;
    /** The packets of the last line that are decoded and not yet sent. */
    private ScratchPackets pending;
    /** How many of {@link #pending} have been sent. */
    private long sent;
    /** How many of the first pending packets were sent before the file was opened. */
    private long sentBefore;
    private boolean hasRead;
    private boolean foundInTurn;
    private boolean left;

    SourceFile(Path path, Options options) {
        this(path, FileMark.NO_KEY, options);
    }

    /** @param key the file's identity, whatever its name */
    SourceFile(Path path, Object key, Options options) {
        this.path = path;
        this.key = key;
        this.options = options;
        mark = FileMark.start(path);
    }

    Path path() {
        return path;
    }

    Object key() {
        return key;
    }

    /** The file was renamed. */
    void rename(Path to) {
        path = to;
        if (isOpen()) {
            records.rename(to);
        }
    }

    /** The file grows no more: it is done at its end. */
    void leave() {
        left = true;
        if (isOpen()) {
            records.leave();
        }
    }

    boolean isLeft() {
        return left;
    }

    boolean isOpen() {
        return records != null;
    }

    boolean isDone() {
        return mark.done();
    }

    /** @param blockBytes how much is read at a time, at least */
    void open(int blockBytes) throws IOException {
        try {
            records = options.opener.open(path, mark.place(), blockBytes);
        } catch (TruncatedException why) {
            options.truncated.accept(why);
            mark = FileMark.start(path);
            records = options.opener.open(path, mark.place(), blockBytes);
        }
        pending = new ScratchPackets(options.schema);
        sent = 0;
        sentBefore = mark.sent();
        hasRead = false;
        if (left) {
            records.leave();
        }
    }

    FileRecords records() {
        return records;
    }

    /** Whether a line was looked for since it was opened. */
    boolean hasRead() {
        return hasRead;
    }

    /** Where the packets of the line found last are written to. */
    ScratchPackets pending() {
        return pending;
    }

    /** Releases large regions whose packets have all been sent. */
    void letGo() {
        if (isOpen()) {
            pending.letGo();
        }
    }

    /** Finds the next record's line, and forgets the packets of the one before. */
    boolean next() throws IOException {
        pending.clear();
        sent = 0;
        hasRead = true;
        try {
            boolean found = records.next();
            foundInTurn |= found;
            return found;
        } catch (TruncatedException why) {
            options.truncated.accept(why);
            records.restart();
            sentBefore = 0;
            return next();
        }
    }

    /** @return whether its turn found a line */
    boolean endTurn() {
        boolean found = foundInTurn;
        foundInTurn = false;
        return found;
    }

    /** The line's packets have been written. Skips those that were sent before the file was opened. */
    void decoded() {
        for (; sentBefore > 0 && pending.next() != null; sentBefore--) {
            sent++;
        }
        sentBefore = 0;
    }

    /** A pending packet has been sent. */
    void countSent() {
        sent++;
    }

    /** The current position. */
    FileMark mark() {
        if (!isOpen()) {
            return new FileMark(path, key.toString(), mark.done(), mark.place(), mark.sent());
        }
        if (hasPending()) {
            return new FileMark(path, key.toString(), false, records.lineStart(), sent);
        }
        return sentBefore == 0 && records.isRead() ? new FileMark(path, key.toString(), true, FileRecords.Place.START, 0)
                : new FileMark(path, key.toString(), false, records.place(), sentBefore);
    }

    private boolean hasPending() {
        Packet next = pending.next();
        if (next != null) {
            pending.unread();
        }
        return next != null;
    }

    /** Sets the position for the next opening. */
    void seek(FileMark to) {
        mark = to;
    }

    /** The file has no further line. */
    void finish() throws IOException {
        if (sentBefore > 0) {
            throw new IOException(path + " ends before the position " + mark());
        }
        close();
        mark = FileMark.finished(path);
    }

    /** Memory that it holds. */
    long heldBytes() {
        return isOpen() ? records.heldBytes() + pending.bytes() : 0;
    }

    @Override
    public void close() throws IOException {
        if (isOpen()) {
            mark = mark();
            records.close();
            records = null;
            pending = null;
        }
    }
}
