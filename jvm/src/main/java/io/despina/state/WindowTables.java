package io.despina.state;

import io.despina.packet.Schema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A keyed table per open window (or pane), by the window's start. It serves as keyed state and as timers, because the earliest
 * window is always the next to fire.
 */
public final class WindowTables<V> implements State {
    private static final int FIRST = 4;
    /** A table that had more keys is not reused for the next window. */
    private static final int SPARE_KEYS = 1 << 16;

    private final String name;
    private final Schema keySchema;
    private final int buckets;
    private final ValueFormat<V> format;
    /**
     * A ring with a power of two as length: {@link #place} gives the index of the k-th earliest window's start; starts ascend
     * with k.
     */
    private long[] starts = new long[FIRST];
    private Object[] tables = new Object[FIRST];
    /** The size of each table at its last count. */
    private long[] counted = new long[FIRST];
    /** The packets of each window, as {@link #took} tells of them. */
    private long[] packets = new long[FIRST];
    /** The number of each window, by which a snapshot knows it. */
    private int[] numbers = new int[FIRST];
    private int nextNumber;
    /** The numbers of windows that were removed since the last snapshot and are in it; null before the first one. */
    private List<Integer> removed;
    /** Windows from this number on are in no snapshot. */
    private int unknown;
    private int first;
    private int size;
    /** The window requested last and its table, the only one that may have changed since its last count; or null. */
    private long lastStart;
    private KeyedTable<V> last;
    private int lastPlace;
    private long tableBytes;
    private KeyedTable<V> spare;

    public WindowTables(String name, Schema keySchema, int buckets, ValueFormat<V> format) {
        this.name = name;
        this.keySchema = keySchema;
        this.buckets = buckets;
        this.format = format;
    }

    /**
     * The table of the window that starts at {@code start}; a new one if there is none. The caller may change it only until the
     * next call.
     */
    public KeyedTable<V> at(long start) {
        if (last != null && lastStart == start) {
            return last;
        }
        countLast();
        int at = firstFrom(start);
        if (at == size || start(at) != start) {
            insert(at, start);
        }
        lastStart = start;
        lastPlace = place(at);
        last = table(at);
        return last;
    }

    /** The table requested last; null if it is gone. */
    public KeyedTable<V> latest() {
        return last;
    }

    /** So many packets have been added to the window requested last, and are in no later one. */
    public void took(long more) {
        packets[lastPlace] += more;
    }

    private void countLast() {
        if (last != null) {
            count(lastPlace, last);
            last = null;
        }
    }

    private void count(int place, KeyedTable<V> table) {
        long now = table.bytes();
        tableBytes += now - counted[place];
        counted[place] = now;
    }

    /** How many windows start before {@code start}. */
    private int firstFrom(long start) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = low + high >>> 1;
            if (start(middle) < start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int place(int k) {
        return first + k & starts.length - 1;
    }

    /** Inserts a window as the k-th; {@link #last} must be null. Moves the windows before it or after it, whichever are fewer. */
    private void insert(int k, long start) {
        if (size == starts.length) {
            grow();
        }
        if (k < size - k) {
            first = place(-1);
            for (int j = 0; j < k; j++) {
                move(place(j + 1), place(j));
            }
        } else {
            for (int j = size; j > k; j--) {
                move(place(j - 1), place(j));
            }
        }
        size++;
        KeyedTable<V> table = spare != null ? spare : newTable();
        spare = null;
        int at = place(k);
        starts[at] = start;
        tables[at] = table;
        counted[at] = 0;
        packets[at] = 0;
        numbers[at] = nextNumber++;
        count(at, table);
    }

    private void move(int from, int to) {
        starts[to] = starts[from];
        tables[to] = tables[from];
        counted[to] = counted[from];
        packets[to] = packets[from];
        numbers[to] = numbers[from];
    }

    private void grow() {
        long[] oldStarts = starts;
        Object[] oldTables = tables;
        long[] oldCounted = counted;
        long[] oldPackets = packets;
        int[] oldNumbers = numbers;
        int begin = first;
        int mask = size - 1;
        starts = new long[2 * size];
        tables = new Object[2 * size];
        counted = new long[2 * size];
        packets = new long[2 * size];
        numbers = new int[2 * size];
        first = 0;
        for (int k = 0; k < size; k++) {
            int from = begin + k & mask;
            starts[k] = oldStarts[from];
            tables[k] = oldTables[from];
            counted[k] = oldCounted[from];
            packets[k] = oldPackets[from];
            numbers[k] = oldNumbers[from];
        }
    }

    /** A table of the same kind that belongs to no window. */
    public KeyedTable<V> newTable() {
        return new KeyedTable<>(name, keySchema, buckets, format);
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** The number of open windows. */
    public int size() {
        return size;
    }

    /** The k-th earliest window. */
    public long start(int k) {
        return starts[place(k)];
    }

    /** The table of the k-th earliest window, for reading. */
    @SuppressWarnings("unchecked")
    public KeyedTable<V> table(int k) {
        return (KeyedTable<V>) tables[place(k)];
    }

    /** Removes the earliest window. */
    public void removeFirst() {
        countLast();
        KeyedTable<V> done = table(0);
        if (removed != null && numbers[first] < unknown) {
            removed.add(numbers[first]);
        }
        tables[first] = null;
        tableBytes -= counted[first];
        first = place(1);
        size--;
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
        if (last != null) {
            count(lastPlace, last);
        }
        return tableBytes + (spare == null ? 0 : spare.bytes()) + (long) starts.length * 4 * Long.BYTES;
    }

    @Override
    public long keys() {
        long keys = 0;
        for (int k = 0; k < size; k++) {
            keys += table(k).size();
        }
        return keys;
    }

    @Override
    public Held held() {
        long sum = 0;
        for (int k = 0; k < size; k++) {
            sum += packets[place(k)];
        }
        return new Held(sum, size);
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.BY_BUCKET;
    }

    @Override
    public String schema() {
        return "windows of " + keySchema.sql() + " -> " + format.schema();
    }

    @Override
    public Frozen freeze() {
        return new FrozenWindows(SectionForm.WHOLE, List.of());
    }

    @Override
    public Frozen freezeChanges() {
        return removed == null ? freeze() : new FrozenWindows(SectionForm.CHANGES, removed);
    }

    /** Of a job that runs for months, more windows are opened than there are numbers. */
    private void numberAnew() {
        nextNumber = 0;
        for (int k = 0; k < size; k++) {
            numbers[place(k)] = nextNumber++;
        }
    }

    /** The open windows at one instant. */
    private final class FrozenWindows implements Frozen {
        private final SectionForm form;
        private final List<Integer> gone;
        private final ArrayDeque<Frozen> rest = new ArrayDeque<>();

        FrozenWindows(SectionForm form, List<Integer> gone) {
            this.form = form;
            this.gone = gone;
            if (form == SectionForm.WHOLE) {
                numberAnew();
            }
            for (int k = 0; k < size; k++) {
                long start = start(k);
                KeyedTable<V> table = table(k);
                rest.add(table.freeze(new TablePart(table.buckets(), entry -> entry.writeLong(start), form,
                        group(numbers[place(k)]))));
            }
            removed = new ArrayList<>();
            unknown = nextNumber;
        }

        @Override
        public SectionForm form() {
            return form;
        }

        @Override
        public boolean write(SectionWriter to) throws IOException {
            if (!gone.isEmpty()) {
                gone.forEach(number -> {
                    to.groupGone(group(number));
                    to.groupGone(group(number) + 1);
                });
                gone.clear();
            }
            while (!rest.isEmpty()) {
                if (!rest.peek().write(to)) {
                    return false;
                }
                rest.poll().close();
            }
            return true;
        }

        @Override
        public void close() {
            rest.forEach(Frozen::close);
        }
    }

    /** The group of a window's rows; the next is that of what its lists have apart. Group 0 is nobody's. */
    private static int group(int number) {
        return 2 * number + 2;
    }

    @Override
    public void clear() {
        Arrays.fill(tables, null);
        first = 0;
        size = 0;
        last = null;
        tableBytes = 0;
        removed = null;
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        at(entry.data().readLong()).restore(entry);
        if (!entry.isPart()) {
            took(1);
        }
    }

    @Override
    public void restoredAll() throws SnapshotException {
        for (int k = 0; k < size; k++) {
            table(k).restoredAll();
            count(place(k), table(k));
        }
    }
}
