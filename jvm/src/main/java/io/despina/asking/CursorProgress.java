package io.despina.asking;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;

/** How far records have been given, by their cursor. Each of the two threads has one of its own. */
final class CursorProgress {
    /** Records that may have the same cursor. */
    private static final int MOST_EQUAL = 10_000;

    private final PollOptions.Cursor cursor;
    private CursorValue asked;
    private CursorValue reached;
    private final Set<String> seen = new LinkedHashSet<>();
    /** What the current poll asked for, and how far records had been given before it. */
    private CursorValue floor;
    private CursorValue top;

    CursorProgress(PollOptions.Cursor cursor, PollPlace from) {
        this.cursor = cursor;
        asked = from.asked() == null ? null : cursor.value(from.asked());
        reached = from.reached() == null ? null : cursor.value(from.reached());
        seen.addAll(from.seen());
    }

    PollPlace place(PollPlace.Tag tag) {
        return new PollPlace(asked == null ? null : asked.text(), reached == null ? null : reached.text(),
                new ArrayList<>(seen), tag, null);
    }

    /** What the server is asked for; null for everything. */
    String asked() {
        return asked == null ? null : asked.text();
    }

    void beginPoll() {
        floor = asked;
        top = reached;
    }

    /** All pages of a poll have been given. @return whether the next poll asks for something else */
    boolean endPoll() {
        boolean moved = reached != null && (asked == null || !reached.text().equals(asked.text()));
        asked = reached == null ? asked : reached;
        return moved;
    }

    /**
     * Whether a record is new.
     *
     * @return the record, with its problem if its cursor has gone back; null if it has been given before
     */
    FoundRecord judged(FoundRecord record) {
        CursorValue value = record.cursor();
        if (record.problem() != null) {
            return record;
        }
        if (floor != null && !value.isLike(floor) || reached != null && !value.isLike(reached)) {
            return record.with(named(value) + ", and cannot be compared with " + (reached == null ? floor : reached).shown());
        }
        if (floor != null && value.compareTo(floor) < 0 && cursor.parameter() != null) {
            return record.with(named(value) + ": it went back behind " + floor.shown() + ", which the server was asked for");
        }
        if (reached == null) {
            return record;
        }
        int order = value.compareTo(reached);
        if (order == 0) {
            return seen.contains(record.digest()) ? null : record;
        }
        boolean wasBefore = floor != null && value.compareTo(floor) < 0 || top != null && value.compareTo(top) < 0;
        return order > 0 ? record : wasBefore ? null
                : record.with(named(value) + ": it went back behind " + reached.shown() + "; `order` any sorts the records");
    }

    private String named(CursorValue value) {
        return "the record's cursor, `" + cursor.column() + "`, is " + value.shown();
    }

    /** The record is given. @throws AnswerRefusedException if too many have its cursor */
    void take(FoundRecord record) throws AnswerRefusedException {
        passed(record);
        if (seen.size() > MOST_EQUAL) {
            throw new AnswerRefusedException("more than " + MOST_EQUAL + " records have the same cursor, " + cursor.column() + "="
                    + reached.shown() + ": choose a column that tells records apart");
        }
    }

    /** The record is behind. */
    void passed(FoundRecord record) {
        if (record.problem() != null) {
            return;
        }
        if (reached == null || record.cursor().compareTo(reached) > 0) {
            asked = reached == null ? asked : reached;
            reached = record.cursor();
            seen.clear();
        }
        seen.add(record.digest());
    }
}
