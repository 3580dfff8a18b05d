package io.despina.operator.python;

import io.despina.arrow.ArrowException;
import io.despina.arrow.BatchWriter;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.python.BatchSlots;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import java.util.Arrays;

/**
 * Which keys the worker knows: each has a slot there, with its state. A key that is new goes with its state before the batch
 * that it is in. While slots are left, the worker needs no state again, since it has made all changes itself. When they are
 * used up, all are emptied, and that waits until nothing is in flight: so each state that goes is the newest.
 */
final class StateSlots {
    static final int MOST = 1 << 14;
    private static final long MOST_BYTES = 64L << 20;
    private static final int FIRST = 64;
    private static final Schema ONE = Schema.of(new Column("one", Type.Simple.TINYINT, false));

    private final KeyedPackets table;
    /** The entry of a key is the number of its slot. */
    private final KeyedPackets known;
    private final Packet one;
    private final Packet state;
    private final BatchWriter newKeys;
    private final BatchWriter newStates;
    private final HeldSlots held = new HeldSlots();
    /** The slots of the rows that are gathered. */
    private int[] rows = new int[FIRST];
    private long[] times = new long[FIRST];
    private int count;
    /** Of the states, by slot, as far as they have been applied. */
    private int[] sizes = new int[FIRST];
    /** Of the states, by slot: the entry in the table. */
    private int[] entries = new int[FIRST];
    /** By slot: the {@link #batch} of its last row. */
    private int[] batches = new int[FIRST];
    /** The number of the one that is gathered. */
    private int batch = 1;
    /** Of all keys and states in slots. */
    private long bytes;
    /** Of the keys and states that are new in the batch that is gathered, and of the states that may come back. */
    private long gathered;

    StateSlots(Keys keys, Schema state, KeyedPackets table) {
        this.table = table;
        this.state = new Packet(state.layout());
        known = new KeyedPackets("slots", keys.schema(), keys.buckets(), ONE);
        newKeys = BatchWriter.ofAll(keys.schema());
        newStates = BatchWriter.ofAll(state);
        ScratchPacket scratch = new ScratchPacket(ONE.layout());
        scratch.begin().setByte(0, (byte) 0);
        one = scratch.commit();
    }

    /** Whether all slots must be emptied before that key has one. @param key null: one that has a slot */
    boolean isFull(Packet key) {
        return bytes > MOST_BYTES || key != null && known.size() == MOST && known.find(key) == KeyedTable.NONE;
    }

    /** A packet is held. @param number of the packet @param size so many are held @param key of the packet */
    void hold(long number, int size, Packet key) {
        held.put(number, size, known.find(key));
    }

    /** The slot that the key of a packet had when it came, and has; {@link KeyedTable#NONE} if that is not known. */
    int of(long number) {
        return held.get(number);
    }

    /** Has a key in a slot. @return the slot */
    int know(Packet key) {
        int slot = known.find(key);
        return slot == KeyedTable.NONE ? send(key) : slot;
    }

    /** Adds a row to the batch that is gathered. @param slot of its key @param time of the row */
    void add(int slot, long time) {
        if (batches[slot] != batch) {
            batches[slot] = batch;
            gathered += sizes[slot];        // it comes back once, however many rows change it
        }
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
            times = Arrays.copyOf(times, 2 * count);
        }
        times[count] = time;
        rows[count++] = slot;
    }

    private int send(Packet key) {
        int slot = known.add(key, one);
        newKeys.add(key);
        int entry = table.find(key);
        if (entry == KeyedTable.NONE) {
            newStates.addNulls();
        } else {
            table.view(entry, state);
            newStates.add(state);
        }
        if (slot == sizes.length) {
            sizes = Arrays.copyOf(sizes, 2 * slot);
            entries = Arrays.copyOf(entries, 2 * slot);
            batches = Arrays.copyOf(batches, 2 * slot);
        }
        entries[slot] = entry;
        sizes[slot] = entry == KeyedTable.NONE ? 0 : state.size();
        gathered += key.size() + sizes[slot];
        bytes += key.size() + sizes[slot];
        return slot;
    }

    /** The bytes that go with the batch that is gathered, and those that may come back. */
    long gatheredBytes() {
        return gathered;
    }

    /** Checks that there is that slot. */
    void check(int slot) {
        if (slot < 0 || slot >= known.size()) {
            throw new ArrowException("a change of state in slot " + slot + " of " + known.size());
        }
    }

    /** Moves {@code into} to the key in a slot. */
    void key(int slot, Packet into) {
        known.key(slot, into);
    }

    /** The entry of the key's state in the table, or {@link KeyedTable#NONE}: nobody need find it by the key again. */
    int entry(int slot) {
        return entries[slot];
    }

    /** What is to be said of the batch that was gathered. */
    BatchSlots take() {
        int fresh = newKeys.rows();
        int[] slots = Arrays.copyOf(rows, count);
        long[] of = Arrays.copyOf(times, count);
        begin();
        return fresh == 0 ? new BatchSlots(0, null, null, slots, of)
                : new BatchSlots(known.size() - fresh, newKeys.take(), newStates.take(), slots, of);
    }

    /** The next batch is gathered. */
    private void begin() {
        batch++;
        count = 0;
        gathered = 0;
    }

    /** The state of a key has changed. @param entry of it now @param size of it now */
    void changed(int slot, int entry, int size) {
        entries[slot] = entry;
        bytes += size - sizes[slot];
        sizes[slot] = size;
    }

    /** The worker knows no keys, or is to forget them. Nothing is in flight. */
    void clear() {
        known.clear();
        held.clear();
        begin();
        if (newKeys.rows() > 0) {
            newKeys.take();
            newStates.take();
        }
        bytes = 0;
    }
}
