package io.despina.expr.catalyst.codegen;

import io.despina.packet.ListOutput;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow$;

/**
 * How often each value has come, for Spark's {@code percentile}, {@code median} and {@code mode}. Values are the same where their
 * {@code equals} says so, as in Spark's map. They stand in order of arrival, so that a snapshot may write those anew whose
 * counts have changed: {@link ListOutput#PART} of them at a time.
 */
public final class CountedValues {
    private static final int FIRST = 8;

    private Object[] values = new Object[FIRST];
    private long[] counts = new long[FIRST];
    /** Open addressing, at most half full: the place of a value plus one; 0 for none. */
    private int[] slots = new int[2 * FIRST];
    private int size;
    /** By {@link ListOutput#PART} values, whether a count has changed since they were last copied. */
    private final BitSet changed = new BitSet();

    /** @param value is copied if it is new and another packet may take its bytes */
    public void add(Object value, long count) {
        int slot = slot(value);
        int place = slots[slot] == 0 ? append(slot, value) : slots[slot] - 1;
        counts[place] += count;
        changed.set(place / ListOutput.PART);
    }

    private int slot(Object value) {
        int mask = slots.length - 1;
        int slot = mixed(value.hashCode()) & mask;
        while (slots[slot] != 0 && !values[slots[slot] - 1].equals(value)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /** As MurmurHash3 ends: what doubles of few digits differ in is in their upper bits. */
    private static int mixed(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85ebca6b;
        mixed = (mixed ^ mixed >>> 13) * 0xc2b2ae35;
        return mixed ^ mixed >>> 16;
    }

    private int append(int free, Object value) {
        int slot = free;
        if (size == values.length) {
            grow();
            slot = slot(value);
        }
        values[size] = InternalRow$.MODULE$.copyValue(value);
        slots[slot] = size + 1;
        return size++;
    }

    private void grow() {
        int more = Math.multiplyExact(2, values.length);
        values = Arrays.copyOf(values, more);
        counts = Arrays.copyOf(counts, more);
        slots = new int[Math.multiplyExact(2, more)];
        for (int place = 0; place < size; place++) {
            slots[slot(values[place])] = place + 1;
        }
    }

    public int size() {
        return size;
    }

    public Object value(int place) {
        return values[place];
    }

    public long count(int place) {
        return counts[place];
    }

    /** Whether a count in {@code [from, to)} has changed since it was last copied; both are whole parts. */
    public boolean hasChanged(int from, int to) {
        int first = changed.nextSetBit(from / ListOutput.PART);
        return first >= 0 && first < to / ListOutput.PART;
    }

    /** Those in {@code [from, to)}, which are unchanged from now on; both are whole parts. */
    public long[] copied(int from, int to) {
        changed.clear(from / ListOutput.PART, to / ListOutput.PART);
        return Arrays.copyOfRange(counts, from, to);
    }

    /** In their order. */
    List<Object> values() {
        return Arrays.asList(values).subList(0, size);
    }

    /** Without those of the values. */
    long bytes() {
        return 2L * Long.BYTES * values.length + (long) Integer.BYTES * slots.length + changed.size() / Byte.SIZE;
    }
}
