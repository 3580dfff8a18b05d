package io.despina.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a user's function counts is added up over instances, attempts and the end of a warm-up. */
class NamedCountersTest {

    private static StageCounters counting(String name, long count) {
        StageCounters counters = new StageCounters();
        counters.own.add(name, count);
        return counters;
    }

    @Test
    void namesOfAllInstancesAreAddedUp() {
        StageCounters one = counting("skipped", 2);
        one.own.add("skipped", 3);
        one.own.add("asked", 1);
        assertEquals(Map.of("skipped", 6L, "asked", 1L, "late", 4L),
                one.snapshot().plus(counting("skipped", 1).snapshot()).plus(counting("late", 4).snapshot()).own());
    }

    @Test
    void whatAnAttemptBeforeHadCountedCountsToo() {
        StageCounters again = counting("asked", 1);
        again.restore(counting("asked", 5).snapshot());
        assertEquals(Map.of("asked", 6L), again.snapshot().own());
    }

    @Test
    void whatWasCountedBeforeTheEndOfTheWarmUpIsTakenAway() {
        StageCounters counters = counting("asked", 5);
        OperatorSnapshot start = counters.snapshot();
        counters.own.add("asked", 2);
        counters.own.add("found", 1);
        assertEquals(Map.of("asked", 2L, "found", 1L), counters.snapshot().since(start).own());
    }

    @Test
    void thereAreNoMoreThanSixtyFourNames() {
        StageCounters counters = new StageCounters();
        for (int k = 0; k < 64; k++) {
            counters.own.add("n" + k, 1);
        }
        counters.own.add("n7", 1);
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> counters.own.add("n64", 1));
        assertTrue(refused.getMessage().startsWith("counter `n64` is one more than an operator may have, which is 64"),
                refused.getMessage());
    }
}
