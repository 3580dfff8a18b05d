package io.despina.control.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** A savepoint that is wanted: members hear of it with one epoch, and the next one is it. */
class SavepointEpochsTest {
    private EpochProgress facts = EpochProgress.of(60_000, Set.of("a", "b"), new EpochProgress.Start(0, 0, 0), 4);

    private EpochStep next(long now) {
        return EpochDecisions.next(facts, now);
    }

    private void completed(long epoch, long now) {
        facts = facts.frozen("a", epoch).frozen("b", epoch).writing(false).complete(now).toldComplete(epoch);
        facts = facts.committed("a", epoch).committed("b", epoch).marking(epoch).marked(epoch);
    }

    @Test
    void theNextEpochIsAnnouncedAtOnceAndFollowsSoon() {
        assertEquals(60_000, ((EpochStep.Wait) next(500)).untilMillis());
        facts = facts.wanting();
        assertEquals(new EpochStep.Begin(5, false), next(500));
        facts = facts.begun(5, false, 500);
        assertEquals(6, facts.announced());
        completed(5, 510);
        assertEquals(600, ((EpochStep.Wait) next(520)).untilMillis());
        assertEquals(new EpochStep.Begin(6, false), next(600));
        facts = facts.begun(6, false, 600);
        assertEquals(6, facts.announced());
        completed(6, 610);
        facts = facts.wantingNone();
        assertEquals(0, facts.announced());
        assertEquals(60_600, ((EpochStep.Wait) next(620)).untilMillis());
    }

    @Test
    void whatWasDroppedIsAnnouncedAgain() {
        facts = facts.wanting().begun(5, false, 500).dropped("no room");
        assertEquals(0, facts.announced());
        assertEquals(1, facts.savepoint().dropped());
        facts = facts.begun(6, false, 700);
        assertEquals(7, facts.announced());
        completed(6, 710);
        facts = facts.begun(7, false, 800).dropped("no room");
        assertEquals(2, facts.savepoint().dropped());
        assertEquals(0, facts.announced());
    }

    @Test
    void anEpochThatIsUnderWayIsNoAnnouncement() {
        facts = facts.begun(5, false, 400).wanting();
        assertEquals(0, facts.announced());
        completed(5, 510);
        assertEquals(new EpochStep.Begin(6, false), next(600));
        facts = facts.begun(6, false, 600);
        assertEquals(7, facts.announced());
    }

    @Test
    void theLastEpochAnnouncesNothing() {
        facts = facts.wanting().begun(5, true, 500);
        assertEquals(0, facts.announced());
        assertNull(facts.wantingNone().savepoint());
    }
}
