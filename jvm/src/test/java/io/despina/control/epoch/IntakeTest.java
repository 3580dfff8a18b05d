package io.despina.control.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.despina.control.epoch.EpochProgress.Start;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When sources are given what programs wait to give, and which epochs have it. */
class IntakeTest {
    private static final long START = 5_000;
    private static final EpochProgress IDLE = EpochProgress.of(1_000, Set.of("a"), new Start(START, 0, 0), 0);
    private static final EpochProgress FREEZING = IDLE.begun(1, false, START + 1_000);
    private static final EpochProgress WRITING = FREEZING.frozen("a", 1).writing(false);

    private static EpochStep next(EpochProgress facts, Intake intake, long after) {
        return EpochDecisions.next(facts, intake, START + after);
    }

    @Test
    void whatWaitsIsGivenWhileNoEpochFreezes() {
        assertEquals(new EpochStep.Give(), next(IDLE, Intake.WAITING, 10));
        assertEquals(new EpochStep.Give(), next(WRITING, Intake.WAITING, 1_010));
        assertInstanceOf(EpochStep.Wait.class, next(FREEZING, Intake.WAITING, 1_010));
    }

    @Test
    void whatWaitsIsGivenBeforeAnEpochThatIsDue() {
        assertEquals(new EpochStep.Give(), next(IDLE, Intake.WAITING, 5_000));
    }

    @ParameterizedTest
    @EnumSource(value = Intake.class, names = {"GIVING", "GIVEN"})
    void nothingMoreIsGivenBeforeAnEpochHasWhatWas(Intake intake) {
        assertNotEquals(new EpochStep.Give(), next(IDLE, intake, 10));
    }

    @Test
    void noEpochBeginsWhileASourceHasRowsThatItHasNotSent() {
        assertEquals(new EpochStep.Wait(START + 60_000), next(IDLE, Intake.GIVING, 30_000));
    }

    @Test
    void anEpochBeginsAtOnceWhenTheyAreSent() {
        assertEquals(new EpochStep.Begin(1, false), next(IDLE, Intake.GIVEN, 0));
        assertInstanceOf(EpochStep.Wait.class, next(WRITING, Intake.GIVEN, 1_010));
        EpochProgress complete = WRITING.complete(START + 1_020).toldComplete(1);
        assertEquals(new EpochStep.Begin(2, false), next(complete, Intake.GIVEN, 1_020));
    }

    @Test
    void whatAnEarlierAttemptLeftIsCommittedFirst() {
        EpochProgress replaying = EpochProgress.of(1_000, Set.of("a"), new Start(START, 7, 7), 7).toldComplete(7);
        assertInstanceOf(EpochStep.Wait.class, next(replaying, Intake.GIVEN, 3_000));
    }

    @Test
    void aTargetThatIsDownHoldsProgramsUp() {
        EpochProgress facts = IDLE;
        for (long epoch = 1; epoch <= EpochDecisions.MOST_UNCOMMITTED; epoch++) {
            facts = facts.begun(epoch, false, START + epoch).frozen("a", epoch).writing(false).complete(START + epoch)
                    .toldComplete(epoch);
        }
        assertInstanceOf(EpochStep.Wait.class, next(facts, Intake.GIVEN, 5_000));
    }

    @Test
    void theLastEpochIsNotHeldUp() {
        EpochProgress settled = IDLE.settled("a", false);
        assertEquals(new EpochStep.Begin(1, true), next(settled, Intake.NONE, 10));
        assertEquals(new EpochStep.Begin(1, true), next(settled, Intake.GIVEN, 10));
    }

    /** Any order of events: no epoch of the job has a part of one of a program's. */
    @Test
    void anEpochHasAllOfAProgramsOrNothing() {
        for (int seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            EpochProgress facts = IDLE;
            Intake intake = Intake.NONE;
            long now = START;
            boolean freezes = false;
            for (int k = 0; k < 60; k++) {
                now += random.nextInt(400);
                EpochStep step = EpochDecisions.next(facts, intake, now);
                if (step instanceof EpochStep.Give) {
                    assertEquals(false, freezes, "seed " + seed + ": given into epoch " + facts.freezing());
                    intake = Intake.GIVING;
                } else if (step instanceof EpochStep.Begin begin) {
                    assertNotEquals(Intake.GIVING, intake, "seed " + seed + ": begun among rows");
                    facts = facts.begun(begin.epoch(), false, now);
                    freezes = true;
                    intake = Intake.NONE;
                } else if (step instanceof EpochStep.Write) {
                    facts = facts.writing(false);
                    freezes = false;
                } else if (step instanceof EpochStep.Drop) {
                    facts = facts.dropped("late");
                    freezes = false;
                } else if (step instanceof EpochStep.Complete complete) {
                    facts = facts.toldComplete(complete.epoch()).committed("a", complete.epoch());
                } else if (step instanceof EpochStep.Mark mark) {
                    facts = facts.marked(mark.epoch());
                } else if (step instanceof EpochStep.Warn warn) {
                    facts = facts.told(warn.what());
                } else if (facts.freezing() != null && random.nextBoolean()) {
                    facts = facts.freezing().writing() ? facts.complete(now) : facts.frozen("a", facts.freezing().epoch());
                } else if (random.nextBoolean()) {
                    intake = intake == Intake.NONE ? Intake.WAITING : intake == Intake.GIVING ? Intake.GIVEN : intake;
                }
            }
        }
    }
}
