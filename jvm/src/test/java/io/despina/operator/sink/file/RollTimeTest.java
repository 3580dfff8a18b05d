package io.despina.operator.sink.file;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RollTimeTest {
    private static final long MS = 1_000_000;
    private final RollTime time = new RollTime(1_000 * MS);

    @Test
    void aFileEndsAtTheBarrierThatIsNearestToItsTime() {
        time.begin(3 * MS);
        assertFalse(time.endsAt(400 * MS));
        assertFalse(time.endsAt(800 * MS), "the next one is at 1200: nearer to 1003");
        time.begin(3 * MS);
        assertTrue(time.endsAt(1_000 * MS), "the next one is at 1200");
    }

    @Test
    void aBarrierEachSecondEndsAFileEachSecond() {
        assertFalse(time.endsAt(0));
        for (int second = 1; second < 5; second++) {
            time.begin((1_000 * second - 997) * MS);
            assertTrue(time.endsAt((1_000 * second - 1) * MS), "3 ms before its time");
            time.end();
        }
    }

    @Test
    void withoutARowNothingIsDue() {
        assertEquals(NEVER, time.at());
        assertFalse(time.endsAt(5_000 * MS));
        assertTrue(time.isUnset());
    }

    @Test
    void theFirstBarrierAfterALossEndsTheFile() {
        time.resume(50 * MS, true);
        assertEquals(1_050 * MS, time.at());
        assertTrue(time.endsAt(60 * MS));
        assertFalse(time.endsAt(100 * MS));
    }

    @Test
    void oneThatIsNeverDueIsNotDueAfterALossEither() {
        RollTime never = new RollTime(0);
        never.resume(50 * MS, true);
        assertEquals(NEVER, never.at());
        assertFalse(never.endsAt(60 * MS));
        assertFalse(never.isUnset());
    }
}
