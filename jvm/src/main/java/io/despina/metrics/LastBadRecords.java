package io.despina.metrics;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The last bad records of one operator instance that nobody has taken. Its task adds them, as many a second as somebody may read;
 * the others are only counted. Any thread takes them.
 */
public final class LastBadRecords {
    /** A second, of one instance. */
    static final int MOST_PER_S = 50;
    /** That wait. */
    static final int MOST = 1_000;
    /** Of those that wait, the newest apart. */
    static final int MOST_CHARACTERS = 1 << 18;
    private static final long S = 1_000_000_000L;

    /**
     * A record that could not be processed.
     *
     * @param atMillis wall clock
     * @param reason   why not
     * @param record   its text; empty if there is none
     */
    public record BadRecord(String operator, int instance, long atMillis, String reason, String record) {
        private int characters() {
            return reason.length() + record.length();
        }
    }

    /** Guarded by this, oldest first. */
    private final Deque<BadRecord> waiting = new ArrayDeque<>();
    /** Guarded by this. */
    private int characters;
    /** The task's: when its present second began, and how many of it are left. */
    private long since = Long.MIN_VALUE;
    private int left;

    /** Whether one more may be added now: to write it down takes time. The task's thread asks before. @param now nanoseconds */
    public boolean wants(long now) {
        if (since == Long.MIN_VALUE || now - since >= S) {
            since = now;
            left = MOST_PER_S;
        }
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }

    /** Adds one; the oldest make room for it. */
    public synchronized void add(BadRecord record) {
        waiting.add(record);
        characters += record.characters();
        while (waiting.size() > MOST || characters > MOST_CHARACTERS && waiting.size() > 1) {
            characters -= waiting.remove().characters();
        }
    }

    /** Takes all of them, oldest first. */
    public synchronized List<BadRecord> take() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<BadRecord> taken = List.copyOf(waiting);
        waiting.clear();
        characters = 0;
        return taken;
    }
}
