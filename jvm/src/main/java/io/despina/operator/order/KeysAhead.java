package io.despina.operator.order;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;
import io.despina.state.AheadOfHead;
import io.despina.state.EntryQueues;
import io.despina.state.KeyedTable;

/**
 * Reads the keys of the packets that come next, and has the table load what it will look up for them. In a table larger than the
 * processor's caches each look-up waits for memory; so the waits of many overlap. It only costs time where it guesses wrong.
 */
public final class KeysAhead {
    /** A core has some ten loads under way. Many more would push each other out of the first cache before they are used. */
    private static final int BATCH = Boolean.getBoolean("despina.checks") ? 3 : 32;

    /** One of its own, because to read a key twice may change it ({@code rand()}). */
    private final KeyReader keys;
    private final Packet view;
    private final PacketCursor cursor;
    private final int[] hashes = new int[BATCH];
    private final int[] scratch = new int[BATCH];
    /** So many packets are taken, or entries removed, before any are looked at again. */
    private int looked;
    private int leaving;

    /** @param context of the operator whose first input has the packets */
    public KeysAhead(Keys keys, OperatorContext context) {
        this(keys, context, context.input(0));
    }

    /** @param schema of the packets */
    public KeysAhead(Keys keys, OperatorContext context, Schema schema) {
        this.keys = new KeyReader(keys, context.instance());
        PacketLayout layout = schema.layout();
        view = new Packet(layout);
        cursor = PacketCursor.reusing(layout);
    }

    /** The next packet, or null. @param table in which its key will be looked up; null if that is not known yet */
    public Packet next(PacketCursor packets, KeyedTable<?> table) {
        if (--looked < 0) {
            look(packets, table);
        }
        return packets.next();
    }

    private void look(PacketCursor packets, KeyedTable<?> table) {
        looked = BATCH;
        if (table == null || !table.isFar()) {
            return;
        }
        int count = 0;
        packets.ahead(cursor);
        try {
            for (; count < BATCH && !cursor.isEmpty(); count++) {
                hashes[count] = KeyedTable.hash(keys.of(cursor.next()));
            }
        } catch (RuntimeException bad) {
            cursor.letGo();     // the operator will meet it too
        }
        cursor.letGo();
        load(table, count);
    }

    /** Before the head of {@code input} is taken, or looked up. */
    public void before(AheadOfHead input, KeyedTable<?> table) {
        if (--looked < 0) {
            look(input, table);
        }
    }

    private void look(AheadOfHead input, KeyedTable<?> table) {
        looked = BATCH;
        if (!table.isFar()) {
            return;
        }
        int count = 0;
        try {
            for (; count < BATCH && input.ahead(count, view); count++) {
                hashes[count] = KeyedTable.hash(keys.of(view));
            }
        } catch (RuntimeException bad) {
            view.letGo();       // the operator will meet it too
        }
        view.letGo();
        load(table, count);
    }

    private void load(KeyedTable<?> table, int count) {
        table.load(hashes, count, scratch);
        looked = count == 0 ? BATCH : count - 1;
    }

    /** Before the first entry of a queue is removed from its table. */
    public void beforeRemoval(EntryQueues queues, int queue, KeyedTable<?> table) {
        if (--leaving >= 0) {
            return;
        }
        leaving = BATCH;
        if (table.isFar()) {
            int count = queues.first(queue, scratch);
            for (int k = 0; k < count; k++) {
                hashes[k] = table.hash(scratch[k]);
            }
            table.load(hashes, count, scratch);
            leaving = count - 1;
        }
    }
}
