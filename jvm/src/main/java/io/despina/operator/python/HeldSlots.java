package io.despina.operator.python;

import io.despina.state.KeyedTable;
import java.util.Arrays;

/**
 * The slots of packets that are held, by the numbers of these: so the key of a packet is read, and its slot looked for, when it
 * comes, and not again when it is sent. A slot that is not known is looked for then.
 */
final class HeldSlots {
    private static final int FIRST = 64;

    /** A power of two that is no less than the number of packets held. */
    private int[] slots = new int[FIRST];

    HeldSlots() {
        clear();
    }

    /** @param size so many packets are held, of which this is the last @param slot perhaps {@link KeyedTable#NONE} */
    void put(long number, int size, int slot) {
        if (size > slots.length) {
            slots = new int[2 * Integer.highestOneBit(size)];
            clear();
        }
        slots[(int) number & slots.length - 1] = slot;
    }

    /** Of a packet that is held; {@link KeyedTable#NONE} if it is not known. */
    int get(long number) {
        return slots[(int) number & slots.length - 1];
    }

    /** No slot is known. */
    void clear() {
        Arrays.fill(slots, KeyedTable.NONE);
    }
}
