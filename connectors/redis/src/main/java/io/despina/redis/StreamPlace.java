package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.ReaderHost;
import io.despina.connect.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Where a source is in one of its streams. Of one thread at a time. */
final class StreamPlace {
    /**
     * What a server says of a stream.
     *
     * @param first   that is there; null for none
     * @param last    that was made there, whether it is still there or not
     * @param removed the last of those that were removed one by one
     * @param added   how many were ever made there; -1 of a server before 7.0
     * @param length  how many are there
     */
    record Known(EntryId first, EntryId last, EntryId removed, long added, long length) {
        static final Known MISSING = new Known(null, EntryId.NONE, EntryId.NONE, 0, 0);

        /** @param answer first, last, removed, added and length */
        static Known of(List<?> answer) {
            byte[] first = (byte[]) answer.get(0);
            return new Known(first.length == 0 ? null : EntryId.of(first), EntryId.of(answer.get(1)), EntryId.of(answer.get(2)),
                    (Long) answer.get(3), (Long) answer.get(4));
        }

        /** How many were made before the first; -1 if nobody can tell. */
        private long before() {
            return added < 0 || first != null && removed.isBehind(first) ? -1 : added - length;
        }
    }

    private final ConnectorSettings settings;
    private final ReaderHost host;
    final String stream;
    final byte[] key;
    /** The last entry that was read. */
    EntryId at = EntryId.NONE;
    /** How many entries were made in the stream up to there; -1 if nobody can tell. */
    long count = -1;
    /** The last one that was there at the start. */
    EntryId end = EntryId.NONE;
    private boolean ends;
    /** Whether the host was given an entry. */
    boolean given;
    boolean ended;

    StreamPlace(ConnectorSettings settings, ReaderHost host, String stream) {
        this.settings = settings;
        this.host = host;
        this.stream = stream;
        key = stream.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Decides where it begins.
     *
     * @param before  where an earlier attempt of the job was; null if none was
     * @param resumed whether the job goes on
     * @return whether entries wait there
     */
    boolean begin(Known now, String before, boolean resumed) throws RefusedException {
        end = now.last;
        ends = settings.text("stop_at").equals("end");
        if (before != null) {
            int slash = before.indexOf('/');
            at = EntryId.of(before.substring(0, slash));
            count = Long.parseLong(before.substring(slash + 1));
            passGap(now);
        } else {
            switch (resumed ? "earliest" : settings.text("start")) {
                case "latest" -> move(now.last, now.added);
                case "timestamp" -> move(EntryId.before(settings.whole("start_millis")), -1);
                default -> beginAtFirst(now);
            }
        }
        ended = ends && !end.isBehind(at);
        return now.first != null && end.isBehind(at);
    }

    private void beginAtFirst(Known now) {
        move(now.first == null ? now.last : now.first.previous(), now.before());
    }

    /**
     * Goes on behind entries that are no longer there.
     *
     * @return whether there was such a gap
     * @throws RefusedException if {@code on_gap} is fail
     */
    boolean passGap(Known now) throws RefusedException {
        long lost = lost(now);
        String what = null;
        if (at.isBehind(now.last)) {
            what = stream + " ends at " + now.last + ", and `" + host.operator() + "` had read to " + at + ": it was removed or "
                    + "made anew, or entries are lost";
        } else if (lost < 0 || count >= 0 && now.added >= 0 && now.added < count) {
            what = stream + " has had " + now.added + " entries, and `" + host.operator() + "` had read " + count + " of it, to "
                    + at + ": it was removed and made anew";
        } else if (lost > 0) {
            what = lost + " entries of " + stream + " behind " + at + " are gone: " + (now.first == null ? "it has no other"
                    : "it begins at " + now.first);
        }
        if (what != null && settings.text("on_gap").equals("fail")) {
            throw new RefusedException("`streams`: " + what + ". With \"on_gap\": \"skip\" the job goes on behind the gap", null);
        }
        if (what != null) {
            host.warn("`" + host.operator() + "`: " + what + "; it goes on behind the gap");
            beginAtFirst(now);
        }
        return what != null;
    }

    /**
     * How many entries behind the place were trimmed, as far as that can be told from those that were removed one by one. Less
     * than none: it is another stream.
     */
    private long lost(Known now) {
        boolean isThere = now.first != null && !now.first.isBehind(at);     // the first is not behind the place
        return isThere || count < 0 || now.added < 0 || now.removed.isBehind(at) ? 0 : now.added - now.length - count;
    }

    /** Whether an entry is behind the end of what is read. */
    boolean isBehindEnd(EntryId id) {
        return ends && id.isBehind(end);
    }

    /** So many entries were made up to there; -1 if nobody can tell. */
    void move(EntryId to, long made) {
        at = to;
        count = made;
        ended = ends && !end.isBehind(at);
    }

    /** It has read so many entries up to there. */
    void read(EntryId to, int entries, Known now) {
        move(to, count < 0 || now.removed.isBehind(at) ? -1 : count + entries);
    }

    /** The place, as a text. */
    String position() {
        return at + "/" + count;
    }

    /** Whether all that was there at the start has been passed, and there was no entry for it. */
    boolean isDrained() {
        return !given && !end.isBehind(at);
    }
}
