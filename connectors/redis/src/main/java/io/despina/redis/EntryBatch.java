package io.despina.redis;

import io.despina.connect.Records;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Entries of a stream. The indexes are those of {@code RedisSourceDefinition}. */
final class EntryBatch implements Records {
    private static final int STREAM = 0;
    private static final int ID = 1;
    private static final int TIME = 2;
    private static final int FIELDS = 3;
    /** Of the objects around an entry, and around a field. */
    private static final int OVERHEAD = 120;
    private static final int FIELD_OVERHEAD = 40;

    /** An entry. @param fields name, value, name, value, and so on */
    record Entry(EntryId id, List<byte[]> fields) {
        long bytes() {
            long bytes = OVERHEAD;
            for (byte[] each : fields) {
                bytes += FIELD_OVERHEAD + each.length;
            }
            return bytes;
        }
    }

    private final String stream;
    private final byte[] field;
    private final List<Entry> entries;
    private final EntryId before;
    /** How many entries of the stream were made up to {@code before}; -1 if nobody can tell. */
    private final long count;
    private final String behind;
    private final boolean last;
    private final Passage passage;
    private final long bytes;
    private int at = -1;
    private Entry entry;
    private byte[] value;

    /**
     * Entries that have come, or none where the place has only moved.
     *
     * @param field  which of an entry's fields has the record
     * @param place  behind them
     * @param before where it was
     */
    EntryBatch(StreamPlace place, byte[] field, List<Entry> entries, EntryId before) {
        stream = place.stream;
        this.field = field;
        this.entries = entries;
        this.before = before;
        count = place.count < 0 ? -1 : place.count - entries.size();
        behind = place.position();
        last = place.ended;
        passage = !entries.isEmpty() || last ? Passage.READ : place.isDrained() ? Passage.DRAINED : Passage.MOVED;
        bytes = entries.stream().mapToLong(Entry::bytes).sum();
    }

    @Override
    public Passage passage() {
        return passage;
    }

    @Override
    public String partition() {
        return stream;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public boolean next() {
        if (at + 1 >= entries.size()) {
            at = entries.size();
            return false;
        }
        entry = entries.get(++at);
        value = valueOf(entry);
        return true;
    }

    private byte[] valueOf(Entry of) {
        for (int k = 0; k + 1 < of.fields.size(); k += 2) {
            if (Arrays.equals(of.fields.get(k), field)) {
                return of.fields.get(k + 1);
            }
        }
        return null;
    }

    @Override
    public String at() {
        return behind(Math.min(Math.max(at, 0), entries.size()));
    }

    @Override
    public String behind() {
        return at < 0 ? at() : at == entries.size() ? behind : behind(at + 1);
    }

    /** The position behind so many of them. */
    private String behind(int some) {
        return (some == 0 ? before : entries.get(some - 1).id) + "/" + (count < 0 ? -1 : count + some);
    }

    @Override
    public boolean isLast() {
        return last;
    }

    @Override
    public byte[] value() {
        return value;
    }

    @Override
    public String without() {
        return "the entry has no field `" + new String(field, StandardCharsets.UTF_8) + "`";
    }

    @Override
    public int from() {
        return 0;
    }

    @Override
    public int to() {
        return value.length;
    }

    @Override
    public String where() {
        return stream + "@" + entry.id;
    }

    @Override
    public long arrived() {
        return number(TIME);
    }

    @Override
    public boolean isMissing(int index) {
        return false;
    }

    @Override
    public long number(int index) {
        if (index != TIME) {
            throw new IllegalArgumentException("no number has the index " + index);
        }
        return TimeUnit.MILLISECONDS.toMicros(entry.id.millis());
    }

    @Override
    public byte[] binary(int index) {
        return switch (index) {
            case STREAM -> stream.getBytes(StandardCharsets.UTF_8);
            case ID -> entry.id.bytes();
            default -> throw new IllegalArgumentException("no text has the index " + index);
        };
    }

    @Override
    public byte[][] pairs(int index) {
        if (index != FIELDS) {
            throw new IllegalArgumentException("no pairs have the index " + index);
        }
        List<byte[]> pairs = new ArrayList<>();
        for (int k = 0; k + 1 < entry.fields.size(); k += 2) {
            if (entry.fields.get(k + 1) != value) {
                pairs.add(entry.fields.get(k));
                pairs.add(entry.fields.get(k + 1));
            }
        }
        return pairs.toArray(byte[][]::new);
    }
}
