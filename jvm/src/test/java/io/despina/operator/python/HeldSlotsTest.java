package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.state.KeyedTable;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeldSlotsTest {
    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 32) - 5, Long.MAX_VALUE >> 1})
    void theSlotOfAPacketThatIsHeldIsThatOfItsNumberOrUnknown(long first) {
        HeldSlots slots = new HeldSlots();
        ArrayDeque<Integer> held = new ArrayDeque<>();
        Random random = new Random(first);
        long begin = first;
        for (int step = 0; step < 20_000; step++) {
            if (held.isEmpty() || random.nextInt(100) < 52) {
                held.add(step);
                slots.put(begin + held.size() - 1, held.size(), step);
                assertEquals(step, slots.get(begin + held.size() - 1));
            } else {
                int slot = slots.get(begin++);
                int expected = held.remove();
                assertEquals(slot == KeyedTable.NONE ? KeyedTable.NONE : expected, slot);
            }
            if (random.nextInt(1_000) == 0) {
                slots.clear();
                assertEquals(KeyedTable.NONE, slots.get(begin));
            }
        }
    }

    @Test
    void allThatAreHeldAreKnownWhereThereIsRoom() {
        HeldSlots slots = new HeldSlots();
        slots.put(99, 1_000, 0);        // makes room
        for (int k = 0; k < 1_000; k++) {
            slots.put(100 + k, k + 1, k);
        }
        for (int k = 0; k < 1_000; k++) {
            assertEquals(k, slots.get(100 + k));
        }
    }
}
