package io.despina.state;

import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * A keyed table per open window (or pane of one), by the window's start: keyed state and its timers in one, since the
 * earliest window is the next to be done.
 */
public final class WindowTables<V> implements State {
    private static final String KIND = "window_tables";
    private static final int FIRST = 4;
    /** A table that had more keys is not kept for the next window. */
    private static final int SPARE_KEYS = 1 << 16;

    private final String name;
    private final Schema keySchema;
    private final int buckets;
    private final ValueFormat<V> format;
    /** Ascending, in [0, size). */
    private long[] starts = new long[FIRST];
    private Object[] tables = new Object[FIRST];
    private int size;
    /** Where the last window asked for lies. */
    private int last;
    private KeyedTable<V> spare;

    public WindowTables(String name, Schema keySchema, int buckets, ValueFormat<V> format) {
        this.name = name;
        this.keySchema = keySchema;
        this.buckets = buckets;
        this.format = format;
    }

    /** The table of the window that starts there; a new one if there is none. */
    public KeyedTable<V> at(long start) {
        if (last < size && starts[last] == start) {
            return table(last);
        }
        int found = Arrays.binarySearch(starts, 0, size, start);
        last = found >= 0 ? found : insert(-found - 1, start);
        return table(last);
    }

    private int insert(int at, long start) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
            tables = Arrays.copyOf(tables, 2 * size);
        }
        System.arraycopy(starts, at, starts, at + 1, size - at);
        System.arraycopy(tables, at, tables, at + 1, size - at);
        starts[at] = start;
        tables[at] = spare != null ? spare : newTable();
        spare = null;
        size++;
        return at;
    }

    /** A table of the same kind that belongs to no window. */
    public KeyedTable<V> newTable() {
        return new KeyedTable<>(name, keySchema, buckets, format);
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Open windows. */
    public int size() {
        return size;
    }

    /** The k-th earliest window. */
    public long start(int k) {
        return starts[k];
    }

    @SuppressWarnings("unchecked")
    public KeyedTable<V> table(int k) {
        return (KeyedTable<V>) tables[k];
    }

    /** Forgets the earliest window. */
    public void removeFirst() {
        KeyedTable<V> done = table(0);
        size--;
        System.arraycopy(starts, 1, starts, 0, size);
        System.arraycopy(tables, 1, tables, 0, size);
        tables[size] = null;
        last = 0;
        if (spare == null && done.limit() <= SPARE_KEYS) {
            done.clear();
            spare = done;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long bytes() {
        long bytes = spare == null ? 0 : spare.bytes();
        for (int k = 0; k < size; k++) {
            bytes += table(k).bytes();
        }
        return bytes + (long) starts.length * 2 * Long.BYTES;
    }

    @Override
    public void snapshot(DataOutput out) throws IOException {
        StateFormat.writeHeader(out, KIND, format.schema());
        out.writeInt(size);
        for (int k = 0; k < size; k++) {
            out.writeLong(starts[k]);
            table(k).snapshot(out);
        }
        StateFormat.writeEnd(out);
    }

    @Override
    public void restore(DataInput in) throws IOException {
        StateFormat.checkHeader(in, name, KIND, format.schema());
        Arrays.fill(tables, null);
        size = 0;
        last = 0;
        int count = StateFormat.readCount(in, name, Integer.MAX_VALUE);
        for (int k = 0; k < count; k++) {
            long start = in.readLong();
            if (size > 0 && start <= starts[size - 1]) {
                throw new SnapshotException("state `" + name + "`: windows are not in order");
            }
            insert(size, start);
            table(size - 1).restore(in);
        }
        StateFormat.checkEnd(in, name);
    }
}
