package io.despina.control.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who counts as lost, by a clock that the test moves. */
class PulseTest {
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);
    private final Pulse pulse = new Pulse(() -> nanos);

    private long later(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
        return pulse.look();
    }

    /** Looks in time until that long after now. */
    private void looks(long millis) {
        for (long at = 0; at < millis; at += Pulse.EVERY_MILLIS) {
            later(Math.min(Pulse.EVERY_MILLIS, millis - at));
        }
    }

    @Test
    void whoIsSilentForASecondAndAHalfIsLost() {
        looks(Pulse.SILENCE_MILLIS);
        assertFalse(pulse.isLost());
        later(1);
        assertTrue(pulse.isLost());
        assertEquals("sent nothing for 1.5 s", pulse.words());
    }

    @Test
    void anyMessageIsALifeSign() {
        for (int k = 0; k < 20; k++) {
            looks(1_000);
            pulse.heard();
            assertFalse(pulse.isLost());
        }
    }

    @Test
    void whoWasHeldUpLatelyHasFiveSeconds() {
        pulse.beat(Pulse.LONG_PAUSE_MILLIS);
        looks(Pulse.HELD_UP_MILLIS);
        assertFalse(pulse.isLost());
        later(1);
        assertTrue(pulse.isLost());
        assertEquals("sent nothing for 5 s", pulse.words());
    }

    @Test
    void aShortPauseIsNoReasonToWait() {
        pulse.beat(Pulse.LONG_PAUSE_MILLIS - 1);
        looks(Pulse.SILENCE_MILLIS + 1);
        assertTrue(pulse.isLost());
    }

    @Test
    void aPauseOfLongAgoIsNoReasonToWait() {
        pulse.beat(3_000);
        for (long waited = 0; waited <= Pulse.LATELY_MILLIS; waited += 1_000) {
            looks(1_000);
            pulse.beat(0);
        }
        looks(Pulse.SILENCE_MILLIS + 1);
        assertTrue(pulse.isLost());
    }

    @Test
    void itsOwnDelayIsTold() {
        assertEquals(0, later(Pulse.EVERY_MILLIS));
        assertEquals(0, later(10));
        assertEquals(300, later(Pulse.EVERY_MILLIS + 300));
    }

    @Test
    void itsOwnDelayIsNobodysSilence() {
        assertEquals(9_800, later(10_000));
        assertFalse(pulse.isLost());
        // a fixed rate makes up for the beats that were missed
        later(0);
        later(0);
        assertFalse(pulse.isLost());
        later(Pulse.EVERY_MILLIS);
        assertTrue(pulse.isLost());
    }

    @Test
    void whatWasReadAfterTheDelayCounts() {
        later(10_000);
        pulse.beat(0);
        looks(Pulse.SILENCE_MILLIS);
        assertFalse(pulse.isLost());
    }

    @Test
    void silenceCountsFromTheBeginning() {
        later(60_000);
        pulse.begin();
        looks(Pulse.SILENCE_MILLIS);
        assertFalse(pulse.isLost());
    }
}
