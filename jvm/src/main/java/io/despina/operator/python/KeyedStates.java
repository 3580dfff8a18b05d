package io.despina.operator.python;

import io.despina.operator.OperatorContext;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.python.ArrowException;
import io.despina.python.BatchReader;
import io.despina.python.WorkerEvent;
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
    private final KeyReader keys;
    private final KeyedPackets table;
    private final ScratchPacket next;
    private final BatchReader reader;
    private final StateSlots slots;
    private final Deque<WorkerEvent.Changes> parts = new ArrayDeque<>();
    /** The part that {@link #reader} is at; null for none. */
    private WorkerEvent.Changes part;
    /** The next of its changes. */
    private int change;
    /** Of what has come and has not all been applied. */
    private long bytes;

    KeyedStates(Keys by, Schema state, OperatorContext context) {
        keys = new KeyReader(by, context.instance());
        table = new KeyedPackets("rows", by.schema(), by.dealing(), state);
        next = new ScratchPacket(state.layout(), context.maxPacketBytes());
        reader = new BatchReader(state);
        slots = new StateSlots(by, state, table);
    }

    KeyedPackets table() {
        return table;
    }

    StateSlots slots() {
        return slots;
    }

    long bytes() {
        return bytes;
    }

    /** The key of a packet, until the next call. */
    Packet key(Packet packet) {
        return keys.of(packet);
    }

    void add(WorkerEvent.Changes more) {
        parts.add(more);
        bytes += more.size();
    }

    /** Applies what a row has changed, if it has. @param row of the batch, which leaves now, in order */
    void leave(int row, Packet packet) {
        if (!isAt(row)) {
            return;
        }
        reader.write(change++, next.begin(), 0);
        Packet state = next.commit();
        Packet key = keys.of(packet);
        int entry = table.find(key);
        int size = 0;
        if (!isNone(state)) {
            size = state.size();
            table.put(entry, key, next);
        } else if (entry != KeyedTable.NONE) {
            table.remove(entry);
        }
        slots.resized(key, size);
    }

    /** Checks that nothing is said of a row which the function has refused. */
    void refuse(int row) {
        if (isAt(row)) {
            throw new ArrowException("a change of state by row " + row + ", which it has refused");
        }
    }

    /** Whether the next change is of that row. */
    private boolean isAt(int row) {
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
        if (part.rows()[change] < row) {
            throw new ArrowException("a change of state by row " + part.rows()[change] + " after that of row " + row);
        }
        return part.rows()[change] == row;
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
