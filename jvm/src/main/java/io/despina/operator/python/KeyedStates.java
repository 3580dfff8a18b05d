package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.arrow.ArrowException;
import io.despina.arrow.BatchReader;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.spec.Clock;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The states of a function, by key. The worker says how a batch has changed the states of its keys, once for each key, and that
 * counts when the rows of the batch have left: so these are always the states before the packets that are held.
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
    /** The key that was read last of a packet that came. */
    private Packet arrived;
    /** Up to which entry keys have ended. */
    private int ended;
    /** What has come and has not been applied. */
    private final Deque<WorkerEvent.Changes> changes = new ArrayDeque<>();
    /** Of these. */
    private long bytes;
    /** How many timers the batch that is gathered calls, as far as their keys have been put into slots for that. */
    private int due;

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
     * @param most  how many timers a batch calls, with those that it calls already; the others wait
     * @param bytes of a batch, at which the others wait
     * @param free  whether nothing is in flight or gathered
     * @return false if there are more
     */
    boolean knowDue(long before, int most, long bytes, boolean free) {
        boolean mayClear = free;
        while (timers.first() < before) {
            if (due >= most) {
                return false;
            }
            table.key(timers.firstEntry(), key);
            if (slots.isFull(key) && mayClear) {
                mayClear = false;
                forgetSlots();
                continue;
            }
            if (slots.isFull(key) || due > 0 && slots.gatheredBytes() >= bytes) {
                return false;
            }
            mayClear = false;
            due++;
            slots.know(key);
            timers.handOver();
        }
        return true;
    }

    /** The batch is sent. @return how many timers it calls, as far as they have been counted */
    int takeDue() {
        int taken = due;
        due = 0;
        return taken;
    }

    /** Reads the key of a packet that has come. */
    void read(Packet packet) {
        arrived = keys.of(packet);
    }

    /**
     * The packet whose key was read last is held.
     *
     * @param number as its packets are numbered
     * @param size   so many packets are held
     */
    void hold(long number, int size) {
        slots.hold(number, size, arrived);
    }

    /**
     * Adds a row to the batch that is gathered.
     *
     * @param number of the packet
     * @param free   whether nothing is in flight or gathered
     * @param time   of the row; unused without event time
     * @return false if that must be so first
     */
    boolean add(long number, Packet packet, boolean free, long time) {
        int slot = slots.of(number);
        Packet of = slot == KeyedTable.NONE ? keys.of(packet) : null;
        if (slots.isFull(of)) {
            if (!free || clock == Clock.EVENT && timers.areHanded()) {
                return false;       // it is to call some before this row
            }
            forgetSlots();
            of = of == null ? keys.of(packet) : of;
        }
        slots.add(of == null ? slot : slots.know(of), time);
        return true;
    }

    /**
     * Has keys that end in slots, in a batch of their own. There are some, and no slot is used.
     *
     * @param most of them
     * @return how many
     */
    int knowEnding(int most, int bytes) {
        ended = ended < table.limit() ? ended : 0;
        int count = 0;
        for (int looked = table.limit(); looked > 0 && count < Math.min(most, StateSlots.MOST)
                && slots.gatheredBytes() < bytes; looked--) {
            if (table.view(ended, state)) {
                table.key(ended, key);
                slots.add(slots.know(key), 0);
                count++;
            }
            ended = ended + 1 < table.limit() ? ended + 1 : 0;
        }
        return count;
    }

    /** Timers that the worker may have been told of, and has not called, are asked for again: all of what is in flight too. */
    void takeBackTimers() {
        timers.takeBack();
        due = 0;
    }

    /** The worker knows no keys. */
    void forgetSlots() {
        slots.clear();
        if (timers != null) {
            takeBackTimers();
        }
    }

    /** The states are others. */
    void restored() {
        slots.clear();
        due = 0;
        if (timers != null) {
            timers.restored();
        }
    }

    void add(WorkerEvent.Changes more) {
        changes.add(more);
        bytes += more.size();
    }

    /** A batch is answered, and its rows have left: what it has changed counts from now on. */
    void apply() {
        for (WorkerEvent.Changes each = changes.poll(); each != null; each = changes.poll()) {
            bytes -= each.size();
            int[] changed = each.slots();
            if (reader.wrap(each.message()) != changed.length) {
                throw new ArrowException(changed.length + " changes with " + reader.rows() + " states");
            }
            for (int k = 0; k < changed.length; k++) {
                slots.check(changed[k]);
                reader.write(k, next.begin(), 0);
                apply(changed[k], next.commit());
            }
        }
    }

    private void apply(int slot, Packet after) {
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

    /** Forgets what has come and has not been applied. */
    void forget() {
        changes.clear();
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
