package io.despina.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BudgetTest {

    @Test
    void grantsWhatFloatsAndTheMinimaOnTop() {
        Budget budget = new Budget(1000);
        Budget.Reservation minima = budget.reserve("job j", 200, 100, 0);
        assertEquals(800, budget.floating());
        assertTrue(budget.tryTake(800));
        assertFalse(budget.tryTake(1));
        budget.take(200);
        assertEquals(1000, budget.used());
        budget.give(300);
        assertTrue(budget.has(100));
        assertFalse(budget.has(101));
        minima.close();
        minima.close();
        assertEquals(1000, budget.floating());
    }

    @Test
    void refusesMinimaThatDoNotFitAndSaysWhatToRaise() {
        Budget budget = new Budget(1000);
        budget.reserve("job a", 700, 0, 0);
        BudgetException e = assertThrows(BudgetException.class, () -> budget.reserve("job b", 400, 10, 0));
        assertEquals("job b needs 400 bytes for its channels at the least; of memory_bytes=1000 700 are reserved already: "
                + "raise memory_bytes to at least 1140", e.getMessage());
        assertEquals(300, budget.floating());
    }

    @Test
    void refusesPacketsLargerThanAQuarterOfWhatFloats() {
        Budget budget = new Budget(1000);
        BudgetException e = assertThrows(BudgetException.class, () -> budget.reserve("job b", 200, 201, 0));
        assertEquals("max_packet_bytes=201 of job b is more than a quarter of the 800 bytes that are not reserved: raise "
                + "memory_bytes from 1000 to at least 1004, or lower max_packet_bytes to at most 200", e.getMessage());
        budget.reserve("job b", 200, 200, 0);
    }

    @Test
    void refusesPacketsThatManyOperatorsMayHaveBeyondTheBudgetAtOnce() {
        Budget budget = new Budget(1000, 2);
        BudgetException e = assertThrows(BudgetException.class, () -> budget.reserve("job b", 200, 101, 6));
        assertEquals("max_packet_bytes=101 of job b: 10 such packets, which its operators and 2 threads may need beyond the "
                + "budget, are more than memory_bytes=1000 allow; lower max_packet_bytes to at most 100, or raise memory_bytes",
                e.getMessage());
        budget.reserve("job b", 200, 100, 6);
    }

    @Test
    void theUsualPacketFitsBesideReservedMinimaOfHalfTheMemory() {
        assertEquals(16 << 20, Budget.usualPacket(1L << 30, 4));
        assertEquals(16 << 20, Budget.usualPacket(128 << 20, 4));
        for (long bytes : new long[] {16 << 20, 60 << 20, 128 << 20, 1L << 34}) {
            for (int beyond : new int[] {0, 1, 4, 5, 30}) {
                new Budget(bytes, 8).reserve("job", bytes / 2, Budget.usualPacket(bytes, beyond), beyond);
            }
        }
    }
}
