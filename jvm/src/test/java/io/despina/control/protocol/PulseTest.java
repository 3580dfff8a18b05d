package io.despina.control.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who counts as lost, by a clock that the test moves. */
class PulseTest {
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);
    private final Pulse pulse = new Pulse(() -> nanos);
    /** What waits for the thread that hears, while that is held up. */
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean isHeldUp;
    private boolean isEarly = true;

    private long later(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
        return pulse.look(isEarly, isHeldUp ? waiting::add : Runnable::run);
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
    void whereNobodyGainsByAnEarlyVerdictItHasEightSeconds() {
        isEarly = false;
        looks(Pulse.PATIENT_MILLIS);
        assertFalse(pulse.isLost());
        later(1);
        assertTrue(pulse.isLost());
        assertEquals("sent nothing for 8 s", pulse.words());
        isEarly = true;
        pulse.beat(0);
        looks(Pulse.SILENCE_MILLIS + 1);
        assertTrue(pulse.isLost(), "a job that goes on has begun");
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
    void aDelayOfTheThreadThatHearsIsNobodysSilenceAndIsTold() {
        isHeldUp = true;
        assertEquals(0, later(Pulse.EVERY_MILLIS));
        for (int k = 1; k <= 50; k++) {
            assertEquals(k * Pulse.EVERY_MILLIS, later(Pulse.EVERY_MILLIS));
            assertFalse(pulse.isLost());
        }
        assertEquals(1, waiting.size());
        isHeldUp = false;
        waiting.get(0).run();
        assertEquals(0, later(Pulse.EVERY_MILLIS));
        assertFalse(pulse.isLost(), "it may not have read yet what came meanwhile");
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
    void aMachineThatSleptForAMinuteLosesNobody() {
        looks(1_000);
        pulse.heard();
        assertEquals(59_800, later(60_000));
        assertFalse(pulse.isLost());
        pulse.beat(59_800);     // the other side slept too
        looks(Pulse.HELD_UP_MILLIS);
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
