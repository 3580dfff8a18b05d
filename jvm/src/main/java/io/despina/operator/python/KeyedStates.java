package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.python.ArrowException;
import io.despina.python.BatchReader;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.spec.Clock;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The states of a function, by key. The worker says how a row has changed the state of its key, and that counts when the row
 * leaves: so these are always the states before the packets that are held.
 */
final class KeyedStates {
    private final Keys by;
    private final int instance;
    private final KeyReader keys;
    private final KeyedPackets table;
    private final ScratchPacket next;
    private final BatchReader reader;
    private final StateSlots slots;
    /** What keys go by; null for packets as they arrive. */
    private final Clock clock;
    /** Null if it has none. */
    private final DueTimers timers;
    private final Packet key;
    private final Packet state;
    /** Whether keys end. */
    private boolean ending;
    /** Up to which entry they have. */
    private int ended;
    private final Deque<WorkerEvent.Changes> parts = new ArrayDeque<>();
    /** The part that {@link #reader} is at; null for none. */
    private WorkerEvent.Changes part;
    /** The next of its changes. */
    private int change;
    /** Of what has come and has not all been applied. */
    private long bytes;

    KeyedStates(Keys by, FunctionSpec.Kept kept, OperatorContext context) {
        Schema columns = kept.state();
        state = new Packet(columns.layout());
        this.by = by;
        instance = context.instance();
        keys = newReader();
        key = new Packet(by.schema().layout());
        table = new KeyedPackets("rows", by.schema(), by.dealing(), columns);
        next = new ScratchPacket(columns.layout(), context.maxPacketBytes());
        reader = new BatchReader(columns);
        slots = new StateSlots(by, columns, table);
        clock = kept.clock();
        timers = clock == null ? null : new DueTimers(table, columns);
    }

    KeyedPackets table() {
        return table;
    }

    /** One more that reads the keys of packets. */
    KeyReader newReader() {
        return new KeyReader(by, instance);
    }

    StateSlots slots() {
        return slots;
    }

    long bytes() {
        return bytes + (timers == null ? 0 : timers.bytes());
    }

    /** When the first timer is due; {@code NEVER} if there is none, as far as changes have been applied. */
    long firstTimer() {
        return timers == null ? NEVER : timers.first();
    }

    /**
     * Has the keys in slots whose timers are due before a time, as far as there are slots.
     *
     * @param most the bytes of a batch, at which the others wait
     * @param free whether nothing is in flight or gathered
     * @return false if there are more
     */
    boolean knowDue(long before, long most, boolean free) {
        boolean mayClear = free;
        boolean any = false;
        while (timers.first() < before) {
            table.key(timers.firstEntry(), key);
            if (slots.isFull(key) && mayClear) {
                mayClear = false;
                forgetSlots();
                continue;
            }
            if (slots.isFull(key) || any && slots.gatheredBytes() >= most) {
                return false;
            }
            mayClear = false;
            any = true;
            slots.know(key);
            timers.handOver();
        }
        return true;
    }

    /**
     * Adds a row to the batch that is gathered.
     *
     * @param free whether nothing is in flight or gathered
     * @param time of the row; unused without event time
     * @return false if that must be so first
     */
    boolean add(Packet of, boolean free, long time) {
        if (slots.isFull(of)) {
            if (!free || clock == Clock.EVENT && timers.areHanded()) {
                return false;       // it is to call some before this row
            }
            forgetSlots();
        }
        slots.add(of, time);
        return true;
    }

    /** Has keys that end in slots, in a batch of their own. There are some, and no slot is used. */
    void knowEnding(BatchLimits limits) {
        ending = true;
        ended = ended < table.limit() ? ended : 0;
        int count = 0;
        for (int looked = table.limit(); looked > 0 && count < Math.min(limits.rows(), StateSlots.MOST)
                && slots.gatheredBytes() < limits.bytes(); looked--) {
            if (table.view(ended, state)) {
                table.key(ended, key);
                slots.add(key, 0);
                count++;
            }
            ended = ended + 1 < table.limit() ? ended + 1 : 0;
        }
    }

    /** Timers that the worker may have been told of, and has not called, are asked for again. Nothing is in flight. */
    void takeBackTimers() {
        timers.takeBack();
    }

    /** The worker knows no keys. */
    void forgetSlots() {
        slots.clear();
        if (timers != null) {
            timers.takeBack();
        }
    }

    /** The states are others. */
    void restored() {
        slots.clear();
        if (timers != null) {
            timers.restored();
        }
    }

    /** The key of a packet, until the next call. */
    Packet key(Packet packet) {
        return keys.of(packet);
    }

    void add(WorkerEvent.Changes more) {
        parts.add(more);
        bytes += more.size();
    }

    /** Applies what a row has changed, if it has. @param row of the batch, which leaves now, in order @param slot of its key */
    void leave(int row, int slot) {
        if (isAt(row)) {
            apply(slot);
        }
    }

    /** Applies the next change to the state of the key in a slot. */
    private void apply(int slot) {
        reader.write(change++, next.begin(), 0);
        Packet after = next.commit();
        int entry = slots.entry(slot);
        if (isNone(after)) {
            if (entry != KeyedTable.NONE) {
                table.remove(entry);
                if (timers != null) {
                    timers.removed(entry);
                }
            }
            slots.changed(slot, KeyedTable.NONE, 0);
            return;
        }
        int size = after.size();
        if (entry == KeyedTable.NONE) {
            slots.key(slot, key);
            entry = table.add(key, after);
        } else {
            table.put(entry, key, next);
        }
        if (timers != null) {
            timers.changed(entry);
        }
        slots.changed(slot, entry, size);
    }

    /** Checks that nothing is said of a row which the function has refused. */
    void refuse(int row) {
        if (isAt(row)) {
            throw new ArrowException("a change of state by row " + row + ", which it has refused");
        }
    }

    /** Whether the next change is of that row, after what timers have changed before it. */
    private boolean isAt(int row) {
        while (nextPart() && part.rows()[change] < 0 && (timers != null || ending)) {
            int slot = -1 - part.rows()[change];
            slots.check(slot);
            apply(slot);
        }
        if (part == null) {
            return false;
        }
        if (part.rows()[change] < row) {
            throw new ArrowException("a change of state by row " + part.rows()[change] + " after that of row " + row);
        }
        return part.rows()[change] == row;
    }

    /** Whether there is another change, which is in {@link #part} then. */
    private boolean nextPart() {
        while (part == null || change == part.rows().length) {
            if (part != null) {
                bytes -= part.size();
            }
            part = parts.poll();
            change = 0;
            if (part == null) {
                return false;
            }
            if (reader.wrap(part.message()) != part.rows().length) {
                throw new ArrowException(part.rows().length + " changes with " + reader.rows() + " states");
            }
        }
        return true;
    }

    /** A batch is answered. @param packets of it */
    void ended(int packets) {
        if (isAt(packets) || part != null) {
            throw new ArrowException("a change of state by row " + part.rows()[change] + " of " + packets);
        }
    }

    /** Forgets what has come and has not been applied. */
    void forget() {
        parts.clear();
        part = null;
        bytes = 0;
    }

    private static boolean isNone(Packet state) {
        for (int k = 0; k < state.layout().columns(); k++) {
            if (!state.isNull(k)) {
                return false;
            }
        }
        return true;
    }
}
