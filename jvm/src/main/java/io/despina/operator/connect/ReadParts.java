package io.despina.operator.connect;

import io.despina.operator.source.time.PartTimes;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How far a source is in each of its partitions. */
final class ReadParts {
    /** Behind the name of a partition, in a snapshot. */
    private static final String ROWS = " rows";
    private static final String TIME = " time";

    static final long UNREAD = -1;

    /** One of them. */
    static final class ReadPart {
        final PartTimes.PartTime time;
        /** What follows is read from there. */
        String position;
        /** How many rows of the record there have left; {@link #UNREAD} if it has not been decoded. */
        long rows;
        boolean ended;
        /** Whether it is waited for only because of records that wait there. */
        private boolean isOutWithoutRecords;

        private ReadPart(String position, long rows, PartTimes.PartTime time) {
            this.position = position;
            this.rows = rows;
            this.time = time;
        }
    }

    final PartTimes times;
    private final Map<String, ReadPart> byName = new TreeMap<>();
    /** What earlier attempts have left, of all instances. */
    private final Map<String, String> left = new HashMap<>();

    ReadParts(long silenceNanos) {
        times = new PartTimes(silenceNanos);
    }

    /** For {@link io.despina.state.NamedEntries}. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        byName.forEach((name, each) -> {
            texts.put(name, each.position);
            if (each.rows != UNREAD) {
                texts.put(name + ROWS, Long.toString(each.rows));
            }
            if (each.time.seen() != Long.MIN_VALUE) {
                texts.put(name + TIME, each.time.seen() + (each.time.isOut() ? " idle" : ""));
            }
        });
        return texts;
    }

    /** Of each partition, where what follows is read from. */
    Map<String, String> positions() {
        Map<String, String> positions = new LinkedHashMap<>();
        byName.forEach((name, each) -> positions.put(name, each.position));
        return positions;
    }

    /** @return where earlier attempts were in the partitions of all instances that are known */
    Map<String, String> restore(List<Map<String, String>> instances) {
        instances.forEach(left::putAll);
        Map<String, String> positions = new TreeMap<>();
        left.forEach((name, text) -> {
            if (name.indexOf(' ') < 0) {
                positions.put(name, text);
            }
        });
        return positions;
    }

    /** @param waiting whether records wait there now */
    ReadPart add(String name, String position, boolean waiting, long now) {
        boolean same = position.equals(left.get(name));
        String[] time = left.getOrDefault(name + TIME, Long.toString(Long.MIN_VALUE)).split(" ");
        long seen = Long.parseLong(time[0]);
        boolean wasOut = time.length > 1 || seen == Long.MIN_VALUE;
        ReadPart added = new ReadPart(position, same && left.containsKey(name + ROWS) ? Long.parseLong(left.get(name + ROWS))
                : UNREAD,
                times.add(seen, !waiting && wasOut, now));
        added.isOutWithoutRecords = wasOut;
        byName.put(name, added);
        return added;
    }

    /** The partition of that name; one that is new is added. */
    ReadPart of(String name, String position, long now) {
        ReadPart known = byName.get(name);
        return known == null ? add(name, position, true, now) : known;
    }

    /**
     * Only the position of that partition has moved. The answer is nobody's part, so that the partition's time stands still.
     *
     * @param drained whether no record waits there any more
     */
    ReadPart moved(String name, String position, boolean drained, long now) {
        ReadPart part = byName.containsKey(name) ? byName.get(name) : add(name, position, false, now);
        part.position = position;
        part.rows = UNREAD;
        if (drained && part.isOutWithoutRecords) {
            times.end(part.time);
        }
        return new ReadPart(position, UNREAD, new PartTimes.PartTime());
    }

    boolean haveEnded() {
        return byName.values().stream().allMatch(each -> each.ended);
    }
}
