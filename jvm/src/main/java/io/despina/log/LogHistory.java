package io.despina.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What earlier attempts have left of a log. A crash may have torn what was not yet forced: what is behind a tear goes. A record
 * that is broken though it was durable is rot, and the log is refused.
 */
final class LogHistory {
    private final LogDisk disk;
    private final int attempt;
    private final List<LogSegment> kept = new ArrayList<>();
    private long end;
    /** Everything before it was forced by who wrote it, as the log or the job says. */
    private long durable;

    private LogHistory(LogDisk disk, int attempt) {
        this.disk = disk;
        this.attempt = attempt;
    }

    /**
     * Takes the log over for an attempt.
     *
     * @param range of the items that the job needs
     * @throws FencedLogException if a later attempt, or this one, has it already
     * @throws RottenLogException if one of those items was durable, and is not whole
     */
    static LogHistory take(LogDisk disk, int attempt, LogRange range) throws IOException {
        LogHistory history = new LogHistory(disk, attempt);
        for (String name : disk.names()) {
            if (SegmentName.attemptOf(name) >= attempt) {
                throw new FencedLogException("attempt " + SegmentName.attemptOf(name) + " of the job has the log already: "
                        + disk.place(name) + "; this is attempt " + attempt);
            }
        }
        disk.create(SegmentName.open(attempt)).close();
        disk.force();
        history.find(range);
        if (range.to() < Long.MAX_VALUE && history.end < range.to()) {
            throw new RottenLogException("records " + history.end + " to " + (range.to() - 1) + " are missing in "
                    + disk.place(""));
        }
        history.writeAgain();
        history.collect();
        return history;
    }

    /** Segments with items that are needed, in order. */
    List<LogSegment> kept() {
        return kept;
    }

    /** The number of the next item. */
    long end() {
        return end;
    }

    private void find(LogRange range) throws IOException {
        List<SegmentName> names = disk.names().stream().map(SegmentName::of).filter(name -> name != null)
                .sorted(SegmentName.ORDER).toList();
        end = range.from();
        for (int k = 0; k < names.size(); k++) {
            SegmentName name = names.get(k);
            long limit = Math.min(range.to(), limit(names, k));
            if (name.first() >= limit || limit <= range.from()) {
                continue;
            }
            if (name.first() > end && (end > 0 || !kept.isEmpty())) {
                throw missing(end, name);
            }
            if (!isKept(names, k, limit, range)) {
                return;
            }
        }
    }

    /** From which number on later segments count in place of this one. */
    private static long limit(List<SegmentName> names, int k) {
        long limit = Long.MAX_VALUE;
        for (SegmentName later : names.subList(k + 1, names.size())) {
            limit = Math.min(limit, later.first());
        }
        return limit;
    }

    /** Reads a segment, and keeps it. @return whether it was whole up to the limit */
    private boolean isKept(List<SegmentName> names, int k, long limit, LogRange range) throws IOException {
        SegmentName name = names.get(k);
        LogFile file = disk.open(name.text());
        try (SegmentCursor cursor = new SegmentCursor(file, name)) {
            boolean begun = cursor.begin(name);
            durable = Math.max(range.from(), name.first());     // a segment begins when the one before it is forced
            while (begun && cursor.expected() < limit && cursor.next()) {
                durable = Math.max(durable, cursor.durable());
            }
            long found = Math.min(cursor.expected(), limit);
            boolean whole = begun && (found == limit || limit == Long.MAX_VALUE && cursor.isAtEnd());
            if (!whole) {
                refuseRot(names.subList(k, names.size()), cursor, limit == range.to() && limit < Long.MAX_VALUE ? limit : 0);
            }
            if (found > Math.max(range.from(), name.first())) {
                kept.add(new LogSegment(name, found, file.length()));
                end = found;
                durable = limit == range.to() && limit < Long.MAX_VALUE ? found : durable;
            }
            return whole;
        }
    }

    /**
     * Writes once more what nobody has said to be durable. Who wrote it may have failed to force it: then the system shows what
     * the disk does not have, and to force that file again succeeds without doing anything.
     */
    private void writeAgain() throws IOException {
        if (kept.isEmpty() || durable >= end) {
            return;
        }
        LogSegment last = kept.get(kept.size() - 1);
        try (SegmentCursor cursor = new SegmentCursor(disk.open(last.name.text()), last.name)) {
            cursor.begin(last.name);
            do {
                cursor.next();
            } while (cursor.expected() <= durable);
            SegmentName again = new SegmentName(attempt, cursor.number());
            long bytes = copy(cursor, again);
            disk.rename(SegmentName.tail(attempt), again.text());
            disk.force();
            last.end = again.first();
            if (last.end == last.first()) {
                kept.remove(last);
            }
            kept.add(new LogSegment(again, end, bytes));
        }
    }

    /** From the current record to the end. @return bytes of the file */
    private long copy(SegmentCursor from, SegmentName as) throws IOException {
        byte[] head = SegmentFormat.head(as.attempt(), as.first());
        CRC32C sum = new CRC32C();
        disk.delete(SegmentName.tail(attempt));
        try (LogFile to = disk.create(SegmentName.tail(attempt))) {
            to.write(0, ByteBuffer.wrap(head));
            long at = head.length;
            do {
                int length = SegmentFormat.RECORD_BYTES + from.to() - from.from();
                ByteBuffer record = ByteBuffer.allocate(length);
                record.putInt(0).putInt(length - SegmentFormat.RECORD_BYTES).putLong(from.number()).putLong(as.first())
                        .putInt(from.items()).put(from.bytes(), from.from(), from.to() - from.from());
                SegmentFormat.seal(record, 0, length, sum, head);
                to.write(at, record.flip());
                at += length;
            } while (from.expected() < end && from.next());
            to.force();
            return at;
        }
    }

    /**
     * A record is not whole.
     *
     * @param names that segment, and those that follow it
     * @param known everything before that number was durable, as the job knows
     * @throws RottenLogException if the record was durable once
     */
    private void refuseRot(List<SegmentName> names, SegmentCursor cursor, long known) throws IOException {
        SegmentName name = names.get(0);
        long broken = cursor.expected();
        long place = cursor.place();
        long durable = Math.max(known, cursor.durableBehind());
        for (SegmentName later : names.subList(1, names.size())) {
            durable = Math.max(durable, later.attempt() > name.attempt() ? later.first() : durableOf(later));
        }
        if (durable > broken) {
            throw new RottenLogException("record " + broken + " at byte " + place + " of " + disk.place(name.text())
                    + " was durable, and is not as it was written; records before " + durable + " were");
        }
    }

    private long durableOf(SegmentName name) throws IOException {
        try (SegmentCursor cursor = new SegmentCursor(disk.open(name.text()), name)) {
            return cursor.durableBehind();
        }
    }

    private RottenLogException missing(long from, SegmentName next) {
        return new RottenLogException("records " + from + " to " + (next.first() - 1) + " are missing before "
                + disk.place(next.text()));
    }

    /** Deletes what nobody needs any more. */
    private void collect() throws IOException {
        List<String> needed = kept.stream().map(segment -> segment.name.text()).toList();
        for (String name : disk.names()) {
            int of = SegmentName.attemptOf(name);
            if (of > 0 && of < attempt && !needed.contains(name)) {
                disk.delete(name);
            }
        }
    }
}
