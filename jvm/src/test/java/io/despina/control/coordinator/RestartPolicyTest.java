package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.PoisonRecord;
import io.despina.control.protocol.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a job is started again, by facts alone. */
class RestartPolicyTest {
    private static final Refusal LOST = new Refusal("resource_lost", "resource `b` was lost: signal 9", "look there");
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;

    private final RestartPolicy policy = RestartPolicy.USUAL;
    private RestartPolicy.History history = RestartPolicy.History.NONE;
    private long nanos = Long.MAX_VALUE - TimeUnit.MINUTES.toNanos(5);
    private boolean hasRun = true;
    private boolean goesOn;
    private boolean completed;
    private boolean skips;
    private boolean moves;

    private RestartPolicy.Reaction fails(Refusal why) {
        RestartPolicy.Reaction reaction = policy.after(history,
                new RestartPolicy.Failure(nanos, why, hasRun, goesOn, completed, skips, moves));
        if (reaction instanceof RestartPolicy.Again again) {
            history = again.history();
        }
        return reaction;
    }

    private void later(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private long delay(Refusal why) {
        return assertInstanceOf(RestartPolicy.Again.class, fails(why)).afterMillis();
    }

    private Refusal end(Refusal why) {
        return assertInstanceOf(RestartPolicy.GivenUp.class, fails(why)).why();
    }

    private static Refusal operator(String id, String words) {
        return new Refusal("operator", words, "\"on_error\" leaves it out").about(id);
    }

    private static Refusal of(String rule) {
        return new Refusal(rule, "it is " + rule, null);
    }

    @Test
    void theFirstRestartComesAtOnce() {
        assertEquals(0, delay(LOST));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1000", "3, 2000", "4, 4000", "5, 8000", "6, 16000", "7, 30000", "8, 30000",
        "60, 30000", "2000, 30000"})
    void theOthersWaitTwiceAsLongEachTime(int nth, long millisLater) {
        for (int k = 1; k < nth; k++) {
            delay(LOST);
        }
        assertEquals(millisLater, delay(LOST));
    }

    @Test
    void afterTenQuietMinutesItComesAtOnceAgain() {
        delay(LOST);
        delay(LOST);
        delay(LOST);
        later(10 * MINUTE);
        assertEquals(0, delay(LOST));
        assertEquals(SECOND, delay(LOST));
    }

    @Test
    void alittleLessThanTenMinutesIsNotQuiet() {
        delay(LOST);
        delay(LOST);
        later(10 * MINUTE - 1);
        assertEquals(2 * SECOND, delay(LOST));
    }

    @Test
    void quietIsCountedFromTheLastFailureAndNotFromTheFirst() {
        for (int k = 0; k < 4; k++) {
            delay(LOST);
            later(9 * MINUTE);
        }
        assertEquals(8 * SECOND, delay(LOST));
    }

    @ParameterizedTest
    @ValueSource(strings = {"resource_lost", "channel", "attempt"})
    void aLossIsNeverTheLast(String rule) {
        for (int k = 0; k < 500; k++) {
            assertTrue(delay(of(rule)) <= 30 * SECOND);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"deploy", "options", "deployment", "state", "state_folder", "fenced", "secret", "cores", "input",
        "listen", "tls", "nesting", "anything"})
    void aRefusalEndsTheJobWithItsOwnWords(String rule) {
        Refusal why = of(rule);
        assertSame(why, end(why));
    }

    @Test
    void aRefusalAfterLossesEndsItToo() {
        delay(LOST);
        delay(LOST);
        Refusal why = of("deploy");
        assertSame(why, end(why));
    }

    @ParameterizedTest
    @ValueSource(strings = {"operator", "memory", "internal", "port_in_use"})
    void theSameFailureThreeTimesInARowEndsTheJob(String rule) {
        assertEquals(0, delay(of(rule)));
        assertEquals(SECOND, delay(of(rule)));
        assertEquals("it is " + rule + " (the same 3 times in a row)", end(of(rule)).getMessage());
    }

    private static Refusal noMemory(String resource, String operator, int bytes) {
        return new Refusal("memory", operator + " holds " + bytes + " bytes of state", null).about(operator).in(resource);
    }

    @Test
    void aResourceThatIsFullThreeTimesInARowEndsTheJobWhateverTheNumbersAre() {
        delay(noMemory("a", "sink", 1_000));
        delay(noMemory("a", "fold", 1_100));
        assertEquals("sink holds 900 bytes of state (the same 3 times in a row)", end(noMemory("a", "sink", 900)).getMessage());
    }

    @Test
    void aResourceThatIsFullNowAndThenDoesNotEndTheJob() {
        for (int k = 0; k < 10; k++) {
            assertEquals(0, delay(noMemory("a", "sink", 1_000 + k)));
            later(10 * MINUTE);
        }
    }

    @Test
    void resourcesThatAreFullByTurnsEndTheJobAtTheThirdTimeOfOne() {
        for (int k = 0; k < 4; k++) {
            delay(noMemory(k % 2 == 0 ? "a" : "b", "sink", 1_000 + k));
        }
        assertEquals("sink holds 900 bytes of state (resources had no memory by turns, this one 3 times, and no epoch was "
                + "completed in between)", end(noMemory("a", "sink", 900)).getMessage());
    }

    @Test
    void resourcesThatAreFullByTurnsDoNotEndAJobThatMovesOnBetween() {
        completed = true;
        for (int k = 0; k < 20; k++) {
            delay(noMemory(k % 2 == 0 ? "a" : "b", "sink", 1_000));
        }
    }

    @Test
    void aQuietTimeBetweenForgetsWhoWasFull() {
        for (int k = 0; k < 20; k++) {
            delay(noMemory(k % 2 == 0 ? "a" : "b", "sink", 1_000 + k));
            later(10 * MINUTE);
        }
    }

    /** Each has one turn before another resource is started; if that does not come, they have another after a minute. */
    @Test
    void survivorsThatAreFullByTurnsEndTheJobToo() {
        moves = true;
        for (int k = 0; k < 6; k++) {
            delay(noMemory("abc".substring(k % 3, k % 3 + 1), "fold", 1_000 + k));
            delay(new Refusal("resource_start", "resource `lost` did not start", null));
            later(MINUTE);
        }
        assertTrue(end(noMemory("a", "fold", 1_000)).getMessage().contains("this one 3 times"));
    }

    @Test
    void aRecordThatFailsItsOperatorIsNamedWithIt() {
        Refusal poison = operator("parse", "operator parse, instance 0: bad number; record: x,y");
        delay(poison);
        delay(poison);
        Refusal end = end(poison);
        assertEquals("operator", end.rule());
        assertEquals("parse", end.operator());
        assertEquals("\"on_error\" leaves it out", end.hint());
        assertEquals("operator parse, instance 0: bad number; record: x,y (the same 3 times in a row)", end.getMessage());
    }

    @Test
    void anotherRecordIsAnotherFailure() {
        for (int k = 0; k < 20; k++) {
            delay(operator("parse", "bad record " + k));
        }
    }

    /** Each survivor may fail once: then the part goes elsewhere. */
    @Test
    void aSurvivorWithoutRoomIsNotTheSameFailureAgain() {
        Refusal full = new Refusal("memory", "holds 4194304 bytes of state", null).about("sink");
        RestartPolicy.History history = RestartPolicy.History.NONE;
        for (int k = 0; k < 5; k++) {
            RestartPolicy.Reaction reaction = RestartPolicy.USUAL.after(history,
                    new RestartPolicy.Failure(k, full, true, true, false, false, true));
            history = assertInstanceOf(RestartPolicy.Again.class, reaction).history();
        }
        assertNull(history.repeated());
    }

    @Test
    void theSameWordsOfAnotherOperatorAreAnotherFailure() {
        for (int k = 0; k < 20; k++) {
            delay(operator("parse " + k % 2, "bad record"));
        }
    }

    @Test
    void theSameWordsOfNoOperatorAreAnotherFailure() {
        for (int k = 0; k < 20; k++) {
            delay(k % 2 == 0 ? operator("parse", "bad") : new Refusal("operator", "bad", null));
        }
    }

    @Test
    void theSameWordsOfAnotherRuleAreAnotherFailure() {
        for (int k = 0; k < 20; k++) {
            delay(new Refusal(k % 2 == 0 ? "memory" : "internal", "bad", null));
        }
    }

    private static Refusal on(String record, String words) {
        return operator("calm", words).on(record);
    }

    private List<PoisonRecord> leftOut(Refusal why) {
        return assertInstanceOf(RestartPolicy.Again.class, fails(why)).history().poison();
    }

    @Test
    void aRecordThatFailsItsOperatorThreeTimesIsLeftOutWhereBadRecordsAre() {
        skips = true;
        assertEquals(List.of(), leftOut(on("0a", "instance 0: the stack is full")));
        assertEquals(List.of(), leftOut(on("0a", "instance 1: the stack is full")));
        assertEquals(List.of(new PoisonRecord("calm", "0a")), leftOut(on("0a", "instance 0: the stack is full")));
        assertEquals(List.of(new PoisonRecord("calm", "0a")), leftOut(LOST));
    }

    @Test
    void aRecordThatFailsItsOperatorThreeTimesEndsTheJobWhereBadRecordsDo() {
        fails(on("0a", "x"));
        fails(on("0a", "y"));
        assertEquals("z (the same record 3 times in a row)", end(on("0a", "z")).getMessage());
    }

    @Test
    void anotherRecordOrAnotherOperatorBeginsAnew() {
        skips = true;
        fails(on("0a", "x"));
        fails(on("0a", "x"));
        assertEquals(List.of(), leftOut(on("0b", "x")));
        assertEquals(List.of(), leftOut(on("0a", "x")));
        assertEquals(List.of(), leftOut(on("0a", "x").about("other")));
        assertEquals(List.of(), leftOut(on("0a", "x")));
    }

    @Test
    void anOperatorThatFailsOnNineRecordsIsWhatIsWrong() {
        skips = true;
        for (int record = 0; record < 8; record++) {
            for (int k = 0; k < 3; k++) {
                fails(on("0" + record, "x"));
            }
        }
        fails(on("0a", "x"));
        fails(on("0a", "x"));
        assertEquals("x (the same record 3 times in a row)", end(on("0a", "x")).getMessage());
    }

    @Test
    void whatIsNoFaultOfARecordEndsTheJobThoughBadRecordsDoNot() {
        skips = true;
        fails(operator("calm", "x"));
        fails(operator("calm", "x"));
        assertEquals("x (the same 3 times in a row)", end(operator("calm", "x")).getMessage());
    }

    @Test
    void twoRecordsInTurnAreNotInARow() {
        delay(operator("parse", "first"));
        delay(operator("parse", "first"));
        delay(operator("parse", "second"));
        delay(operator("parse", "first"));
        delay(operator("parse", "first"));
        end(operator("parse", "first"));
    }

    @Test
    void aLossBetweenDoesNotMakeARecordBetter() {
        Refusal poison = operator("parse", "bad record");
        delay(poison);
        delay(LOST);
        delay(poison);
        delay(LOST);
        delay(LOST);
        end(poison);
    }

    @Test
    void aQuietTimeBetweenDoesNotMakeARecordBetter() {
        Refusal poison = operator("parse", "bad record");
        delay(poison);
        later(11 * MINUTE);
        assertEquals(0, delay(poison));
        later(11 * MINUTE);
        end(poison);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void codeThatANewJobCannotOpenIsNotTriedAgain(boolean ran) {
        hasRun = ran;       // others may, while a worker still imports it
        Refusal why = of("opening");
        assertSame(why, end(why));
    }

    @Test
    void codeThatWasOpenedBeforeIsTriedAgain() {
        delay(LOST);
        delay(of("opening"));
        delay(of("opening"));
        assertEquals("it is opening (the same 3 times in a row)", end(of("opening")).getMessage());
    }

    @Test
    void codeOfAJobThatGoesOnWasOpenedBefore() {
        goesOn = true;
        hasRun = false;
        delay(of("opening"));
        delay(of("opening"));
        end(of("opening"));
    }

    @Test
    void failuresAndLossesWaitTogether() {
        assertEquals(0, delay(LOST));
        assertEquals(SECOND, delay(operator("parse", "bad record")));
        assertEquals(2 * SECOND, delay(LOST));
    }

    @Test
    void resourcesThatCannotStartInTurnEndItToo() {
        hasRun = false;
        delay(new Refusal("resource_start", "resource `near` did not start: process 17 ended with exit code 1", null));
        delay(new Refusal("resource_start", "resource `far` did not start: process 19 ended with exit code 1", null));
        end(new Refusal("resource_start", "resource `near` did not start: process 20 ended with exit code 1", null));
    }

    @Test
    void aResourceThatCannotStartBeforeTheJobHasRunEndsItAfterAFewTries() {
        hasRun = false;
        assertEquals(0, delay(of("resource_start")));
        assertEquals(SECOND, delay(of("resource_start")));
        assertEquals("resource_start", end(of("resource_start")).rule());
    }

    @ParameterizedTest
    @ValueSource(strings = {"state_unreachable"})
    void whatIsAwayIsWaitedForIfItWasThere(String rule) {
        for (int k = 0; k < 100; k++) {
            delay(of(rule));
        }
        hasRun = false;
        history = RestartPolicy.History.NONE;
        delay(of(rule));
        delay(of(rule));
        end(of(rule));
    }

    @Test
    void aSlotIsLookedForEveryHalfSecondAndALossAfterItIsTheFirstOfItsRow() {
        assertEquals(0, delay(LOST));
        for (int k = 0; k < 100; k++) {
            assertEquals(500, delay(of("slots")));
            later(500);
        }
        assertEquals(SECOND, delay(LOST));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aJobThatFoundNoSlotForAMinuteEndsWithTheNumbers(boolean ran) {
        hasRun = ran;
        delay(LOST);
        delay(of("slots"));
        later(MINUTE - 1);
        assertEquals(500, delay(of("slots")));
        later(1);
        assertEquals("it is slots (the job has waited for 60.0 s)", end(of("slots")).getMessage());
    }

    @Test
    void aSlotThatWasFoundInBetweenIsLookedForAnew() {
        delay(LOST);
        delay(of("slots"));
        later(MINUTE - 1);
        delay(LOST);
        assertEquals(500, delay(of("slots")));
        later(MINUTE - 1);
        assertEquals(500, delay(of("slots")));
    }

    @Test
    void theUserSaysHowLongASlotIsLookedFor() {
        RestartPolicy brief = policy.lookingFor(0);
        assertInstanceOf(RestartPolicy.GivenUp.class, brief.after(history,
                new RestartPolicy.Failure(nanos, of("slots"), true, false, false, false, false)));
    }

    @Test
    void aResourceThatDoesNotComeBackIsWaitedForAfterTheJobHasRun() {
        for (int k = 0; k < 100; k++) {
            delay(of("resource_start"));
        }
    }

    @Test
    void aLossBeforeTheJobHasRunIsALoss() {
        hasRun = false;
        for (int k = 0; k < 10; k++) {
            delay(LOST);
        }
    }

    @Test
    void whatItDecidesDependsOnFactsAlone() {
        List<RestartPolicy.Reaction> first = new ArrayList<>();
        List<RestartPolicy.Reaction> second = new ArrayList<>();
        for (List<RestartPolicy.Reaction> all : List.of(first, second)) {
            history = RestartPolicy.History.NONE;
            for (int k = 0; k < 5; k++) {
                all.add(fails(LOST));
            }
        }
        assertEquals(first, second);
    }

    @Test
    void aJobMayHaveAPolicyOfItsOwn() {
        RestartPolicy brief = new RestartPolicy(10, 15, 50, 1, 0);
        RestartPolicy.Again one = (RestartPolicy.Again) brief.after(RestartPolicy.History.NONE,
                new RestartPolicy.Failure(0, LOST, true, false, false, false, false));
        RestartPolicy.Again two = (RestartPolicy.Again) brief.after(one.history(),
                new RestartPolicy.Failure(1, LOST, true, false, false, false, false));
        RestartPolicy.Again three = (RestartPolicy.Again) brief.after(two.history(),
                new RestartPolicy.Failure(2, LOST, true, false, false, false, false));
        assertEquals(List.of(0L, 10L, 15L), List.of(one.afterMillis(), two.afterMillis(), three.afterMillis()));
        Refusal why = of("operator");
        assertSame(why, ((RestartPolicy.GivenUp) brief.after(RestartPolicy.History.NONE,
                new RestartPolicy.Failure(0, why, true, false, false, false, false))).why());
    }
}
