package io.despina.runtime.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class TimersTest {

    /** Sets, moves and removes at random, against a plain list. */
    @Property(tries = 300)
    void slotsComeOutInTheOrderOfTheirDeadlines(@ForAll @Size(max = 80) List<@IntRange(max = 2000) Integer> steps) {
        Timers timers = new Timers();
        List<TaskSlot> slots = new ArrayList<>();
        for (int k = 0; k < 20; k++) {
            slots.add(new TaskSlot("t" + k, null, null, null));
        }
        long[] model = new long[20];
        java.util.Arrays.fill(model, Long.MAX_VALUE);
        for (int step : steps) {
            int slot = step % 20;
            model[slot] = step / 20 % 10 == 0 ? Long.MAX_VALUE : step / 20;
            timers.set(slots.get(slot), model[slot]);
            assertEquals(java.util.Arrays.stream(model).min().orElseThrow(), timers.next());
        }
        java.util.Arrays.sort(model);
        for (long deadline : model) {
            if (deadline == Long.MAX_VALUE) {
                break;
            }
            assertNull(timers.due(deadline - 1));
            assertEquals(deadline, timers.next());
            timers.due(deadline);
        }
        assertNull(timers.due(Long.MAX_VALUE - 1));
    }
}
