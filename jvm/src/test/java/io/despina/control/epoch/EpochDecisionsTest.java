package io.despina.control.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.despina.control.epoch.EpochProgress.Start;
import io.despina.control.epoch.EpochProgress.Told;
import io.despina.control.epoch.EpochStep.Abandon;
import io.despina.control.epoch.EpochStep.Begin;
import io.despina.control.epoch.EpochStep.Complete;
import io.despina.control.epoch.EpochStep.Conclude;
import io.despina.control.epoch.EpochStep.Drop;
import io.despina.control.epoch.EpochStep.Fail;
import io.despina.control.epoch.EpochStep.Mark;
import io.despina.control.epoch.EpochStep.Wait;
import io.despina.control.epoch.EpochStep.Warn;
import io.despina.control.epoch.EpochStep.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What is to be done, by what is known. Times are in milliseconds; two members, `a` and `b`; an epoch each second. */
class EpochDecisionsTest {
    private static final long START = 5_000;
    private static final long NEVER = Long.MAX_VALUE;
    private static final String FULL = "the disk is full";

    /** A job with state that began at {@link #START}. */
    private static EpochProgress fresh() {
        return EpochProgress.of(1_000, Set.of("a", "b"), new Start(START, 0, 0), 0);
    }

    /** The same, restored from epoch 7, which is committed. */
    private static EpochProgress restored() {
        return EpochProgress.of(1_000, Set.of("a", "b"), new Start(START, 7, 0), 9);
    }

    /** The same, where epoch 7 may not be committed everywhere. */
    private static EpochProgress replaying() {
        return EpochProgress.of(1_000, Set.of("a", "b"), new Start(START, 7, 7), 7);
    }

    /** A job that keeps no state. */
    private static EpochProgress inMemory() {
        return EpochProgress.of(0, Set.of("a", "b"), new Start(START, 0, 0), 0);
    }

    /** Epoch 1 was begun a second after the start. */
    private static EpochProgress begun() {
        return fresh().begun(1, false, START + 1_000);
    }

    private static EpochProgress frozen() {
        return begun().frozen("a", 1).frozen("b", 1);
    }

    /** Epoch 1 is complete, 1.2 s after the start. */
    private static EpochProgress complete() {
        return frozen().writing(false).complete(START + 1_200);
    }

    private static EpochProgress committed() {
        return complete().toldComplete(1).committed("a", 1).committed("b", 1);
    }

    private static EpochProgress marked() {
        return committed().marking(1).marked(1);
    }

    private static EpochProgress settled(EpochProgress facts) {
        return facts.settled("a", false).settled("b", false);
    }

    /** Epochs 1, 2, … were begun a second apart from another, and dropped at once. */
    private static EpochProgress dropped(int times) {
        EpochProgress facts = fresh();
        for (int epoch = 1; epoch <= times; epoch++) {
            facts = facts.begun(epoch, false, START + 1_000L * epoch).refused("b", epoch, FULL).dropped(FULL);
        }
        return facts;
    }

    /** So many are complete, and the target has committed none. */
    private static EpochProgress uncommitted(int epochs) {
        EpochProgress facts = fresh();
        for (int epoch = 1; epoch <= epochs; epoch++) {
            facts = facts.begun(epoch, false, START + 1_000L * epoch).frozen("a", epoch).frozen("b", epoch).writing(false)
                    .complete(START + 1_000L * epoch + 100);
        }
        return facts.toldComplete(1);
    }

    /** The last epoch of a job, whose number is 1. */
    private static EpochProgress last(EpochProgress of) {
        return settled(of).begun(of.last().begun() + 1, true, START + 3_000);
    }

    private record Case(String name, EpochProgress facts, long after, EpochStep expected) {
    }

    private static Stream<DynamicTest> check(Case... cases) {
        return Stream.of(cases).map(each -> dynamicTest(each.name,
                () -> assertEquals(each.expected, EpochDecisions.next(each.facts, START + each.after))));
    }

    @Test
    void whatEpochsWaitForIsTold() {
        assertEquals("", EpochDecisions.trouble(begun(), START + 2_999));
        assertEquals("epoch 1 waits for resource `b`", EpochDecisions.trouble(begun().frozen("a", 1), START + 3_000));
        EpochProgress down = complete().toldComplete(1).committed("a", 1);
        assertEquals("", EpochDecisions.trouble(down, START + 1_200));
        for (int epoch = 2; epoch <= EpochDecisions.MOST_UNCOMMITTED; epoch++) {
            down = down.begun(epoch, false, START).frozen("a", epoch).frozen("b", epoch).writing(false).complete(START);
            assertEquals(epoch < EpochDecisions.MANY_UNCOMMITTED ? "" : "resource `b` has not committed epoch 1"
                    + (epoch < EpochDecisions.MOST_UNCOMMITTED ? "" : ", and no epoch begins before"),
                    EpochDecisions.trouble(down, START));
        }
        assertEquals("no room", EpochDecisions.trouble(begun().dropped("no room"), START + 1_000));
    }

    @Test
    void forWhomAMemberWaitsIsTold() {
        EpochProgress late = begun().frozen("a", 1).dropped("resource `b` did not write it within 10 s");
        assertEquals("resource `b` did not write it within 10 s; `b` waits for operator `fold`",
                EpochDecisions.trouble(late.begun(2, false, START + 11_000).behind("b", 1, "operator `fold`"), START + 11_000));
        assertEquals("", EpochDecisions.trouble(late.begun(2, false, START).frozen("a", 2).frozen("b", 2).writing(false)
                .complete(START).behind("b", 1, "operator `fold`"), START), "it is over");
        EpochProgress refused = begun().refused("b", 1, FULL).dropped("resource `b`: " + FULL).behind("a", 1, "operator `x`");
        assertEquals("resource `b`: " + FULL, EpochDecisions.trouble(refused, START), "nobody was late");

        EpochProgress down = uncommitted(EpochDecisions.MANY_UNCOMMITTED).committed("a", 1).behind("a", 1, "operator `in`")
                .behind("b", 1, "operator `out` and 1 other").behind("b", 1, "operator `out`");
        assertEquals("resource `b` has not committed epoch 1; `b` waits for operator `out`",
                EpochDecisions.trouble(down, START + 3_000));
        assertEquals("", EpochDecisions.trouble(replaying().toldComplete(7), START));
        assertEquals("resources `a`, `b` have not committed epoch 7; `b` waits for operator `out`",
                EpochDecisions.trouble(replaying().toldComplete(7).behind("b", 7, "operator `out`"), START));
    }

    @Test
    void theWarningOfDroppedEpochsNamesWhoIsWaitedFor() {
        EpochProgress late = slow(2).dropped("slow").begun(4, false, START);
        assertEquals(new Wait(START + 60_000), EpochDecisions.next(late, START), "a member is about to say who it was");
        EpochProgress named = late.behind("b", 3, "operator `fold`");
        assertEquals(new Warn(Told.DROPPED, "3 epochs in a row were dropped: slow; `b` waits for operator `fold`"),
                EpochDecisions.next(named, START));
        assertEquals(new Warn(Told.DROPPED, "4 epochs in a row were dropped: slower"),
                EpochDecisions.next(late.dropped("slower").begun(5, false, START), START), "none has said it");
    }

    @TestFactory
    Stream<DynamicTest> epochsBeginByTheClock() {
        return check(
                new Case("a job that begins waits for its first", fresh(), 0, new Wait(START + 1_000)),
                new Case("a moment too early", fresh(), 999, new Wait(START + 1_000)),
                new Case("the first", fresh(), 1_000, new Begin(1, false)),
                new Case("the first, asked for late", fresh(), 1_700, new Begin(1, false)),
                new Case("none while one is under way", begun(), 2_500, new Wait(START + 11_000)),
                new Case("the next a second after the one before began", marked(), 1_999, new Wait(START + 2_000)),
                new Case("the second", marked(), 2_000, new Begin(2, false)),
                new Case("an epoch that took long: the next at once", marked(), 9_000, new Begin(2, false)),
                new Case("after a dropped one, with a number of its own", dropped(1), 2_000, new Begin(2, false)),
                new Case("not sooner after a dropped one", dropped(1), 1_500, new Wait(START + 2_000)),
                new Case("numbers that earlier attempts have used are not used again", restored(), 100, new Begin(10, false)),
                new Case("without state there are none", inMemory(), 100_000, new Wait(NEVER)));
    }

    @TestFactory
    Stream<DynamicTest> theFirstEpochAfterARestoreIsSoon() {
        EpochProgress one = restored().begun(10, false, START + 100);
        return check(
                new Case("not at once", restored(), 0, new Wait(START + 100)),
                new Case("after 100 ms", restored(), 100, new Begin(10, false)),
                new Case("the second after the usual time",
                        one.frozen("a", 10).frozen("b", 10).writing(false).complete(START + 200).toldComplete(10), 300,
                        new Wait(START + 1_100)),
                new Case("if it is dropped, the next after the usual time", one.dropped(FULL), 300, new Wait(START + 1_100)),
                new Case("more often than that if epochs are shorter",
                        EpochProgress.of(20, Set.of("a"), new Start(START, 7, 0), 7), 20, new Begin(8, false)));
    }

    @TestFactory
    Stream<DynamicTest> anEpochIsWrittenWhenAllHaveFrozen() {
        return check(
                new Case("none has", begun(), 1_100, new Wait(START + 11_000)),
                new Case("one has", begun().frozen("a", 1), 1_100, new Wait(START + 11_000)),
                new Case("one has, and says so twice", begun().frozen("a", 1).frozen("a", 1), 1_100, new Wait(START + 11_000)),
                new Case("all have", frozen(), 1_100, new Write(1)),
                new Case("all have, at the last instant", frozen(), 11_000, new Write(1)),
                new Case("it is written once", frozen().writing(false), 1_100, new Wait(START + 60_000)),
                new Case("writing takes its time", frozen().writing(false), 20_000, new Wait(START + 60_000)),
                new Case("words about another epoch do not count", begun().frozen("a", 1).frozen("b", 2), 1_100,
                        new Wait(START + 11_000)),
                new Case("words about one that was dropped do not count", dropped(1).frozen("a", 1).frozen("b", 1), 1_100,
                        new Wait(START + 2_000)),
                new Case("a member that is through is not waited for", begun().frozen("a", 1).without("b"), 1_100,
                        new Write(1)));
    }

    @TestFactory
    Stream<DynamicTest> anEpochIsDropped() {
        return check(
                new Case("one cannot write", begun().frozen("a", 1).refused("b", 1, FULL), 1_100,
                        new Drop(1, "resource `b`: the disk is full")),
                new Case("nobody waits for the others then", begun().refused("b", 1, FULL), 1_100,
                        new Drop(1, "resource `b`: the disk is full")),
                new Case("neither can", begun().refused("b", 1, FULL).refused("a", 1, "read-only"), 1_100,
                        new Drop(1, "resource `a`: read-only; resource `b`: the disk is full")),
                new Case("the first reason counts", begun().refused("b", 1, FULL).refused("b", 1, "again"), 1_100,
                        new Drop(1, "resource `b`: the disk is full")),
                new Case("one is silent, and has a moment left", begun().frozen("a", 1), 10_999, new Wait(START + 11_000)),
                new Case("one is silent", begun().frozen("a", 1), 11_000,
                        new Drop(1, "resource `b` did not write it within 10 s")),
                new Case("all are silent", begun(), 12_000, new Drop(1, "resources `a`, `b` did not write it within 10 s")),
                new Case("a refusal of another epoch does not count", begun().refused("a", 2, FULL), 1_100,
                        new Wait(START + 11_000)),
                new Case("a refusal that comes after the drop does not count", dropped(1).refused("b", 1, FULL), 1_100,
                        new Wait(START + 2_000)),
                new Case("it costs nothing but its number: the next is whole",
                        dropped(1).begun(2, false, START + 2_000).frozen("a", 2).frozen("b", 2), 2_100, new Write(2)));
    }

    /** So many epochs were dropped because nobody wrote them in time; the next has begun at {@link #START}. */
    private static EpochProgress slow(int times) {
        EpochProgress facts = fresh();
        for (int epoch = 1; epoch <= times; epoch++) {
            facts = facts.begun(epoch, false, START).dropped("slow");
        }
        return facts.begun(times + 1, false, START);
    }

    @TestFactory
    Stream<DynamicTest> largeStatesGetTheTimeThatTheyNeed() {
        EpochProgress done = slow(2).frozen("a", 3).frozen("b", 3).writing(false).complete(START).toldComplete(3)
                .committed("a", 3).committed("b", 3).marking(3).marked(3).begun(4, false, START);
        EpochProgress full = fresh().begun(1, false, START).refused("a", 1, FULL).dropped(FULL).begun(2, false, START);
        EpochProgress noManifest = frozen().writing(false).dropped(FULL).begun(2, false, START);
        return check(
                new Case("the second has twice as long", slow(1), 19_999, new Wait(START + 20_000)),
                new Case("and is dropped then", slow(1), 20_000,
                        new Drop(2, "resources `a`, `b` did not write it within 20 s")),
                new Case("the third has four times as long", slow(2), 39_999, new Wait(START + 40_000)),
                new Case("one that is written meanwhile counts", slow(2).frozen("a", 3).frozen("b", 3), 39_000, new Write(3)),
                new Case("those behind it have as long: a base may come again", done, 39_999, new Wait(START + 40_000)),
                new Case("there is an end", slow(40), 640_000, new Drop(41, "resources `a`, `b` did not write it within 640 s")),
                new Case("a full disk is not slow", full, 10_000, new Drop(2, "resources `a`, `b` did not write it within 10 s")),
                new Case("nor is a manifest that cannot be written", noManifest, 10_000,
                        new Drop(2, "resources `a`, `b` did not write it within 10 s")),
                new Case("the last ends before the job gives up", settled(slow(5).dropped("slow")).begun(7, true, START), 50_000,
                        new Drop(7, "resources `a`, `b` did not write it within 50 s")),
                new Case("where no state is kept, the job's own end is the limit", last(inMemory()), 1_000_000,
                        EpochStep.Wait.FOR_AN_EVENT));
    }

    @TestFactory
    Stream<DynamicTest> completeEpochsAreCommittedInOrder() {
        EpochProgress two = complete().toldComplete(1).begun(2, false, START + 2_000).frozen("a", 2).frozen("b", 2).writing(false)
                .complete(START + 2_100);
        return check(
                new Case("members are told at once", complete(), 1_200, new Complete(1)),
                new Case("they are told once", complete().toldComplete(1), 1_300, new Wait(START + 2_000)),
                new Case("one has committed", complete().toldComplete(1).committed("a", 1), 1_300, new Wait(START + 2_000)),
                new Case("all have", committed(), 1_300, new Mark(1)),
                new Case("it is marked once", committed().marking(1), 1_300, new Wait(START + 2_000)),
                new Case("nothing is left to do", marked(), 1_300, new Wait(START + 2_000)),
                new Case("the next begins while it is being committed", complete().toldComplete(1), 2_000, new Begin(2, false)),
                new Case("and is written", complete().toldComplete(1).begun(2, false, START + 2_000).frozen("a", 2)
                        .frozen("b", 2), 2_100, new Write(2)),
                new Case("but nobody hears of it before the one before is committed", two, 2_100, new Wait(START + 3_000)),
                new Case("one may not have committed before it was told so", two.committed("a", 2).committed("b", 2), 2_100,
                        new Wait(START + 3_000)),
                new Case("the one before is marked first", two.committed("a", 1).committed("b", 1), 2_100, new Mark(1)),
                new Case("while it is marked", two.committed("a", 1).committed("b", 1).marking(1), 2_100,
                        new Wait(START + 3_000)),
                new Case("then they hear of the next", two.committed("a", 1).committed("b", 1).marking(1).marked(1), 2_100,
                        new Complete(2)),
                new Case("a target that is down for nine epochs", uncommitted(9), 10_000, new Begin(10, false)),
                new Case("for ten: epochs wait for it", uncommitted(10), 11_000, new Wait(START + 10_100 + 60_000)));
    }

    @TestFactory
    Stream<DynamicTest> whatAnEarlierAttemptLeftIsCommittedFirst() {
        EpochProgress told = replaying().toldComplete(7);
        EpochProgress done = told.committed("a", 7).committed("b", 7);
        return check(
                new Case("members are told at once", replaying(), 0, new Complete(7)),
                new Case("however late", replaying(), 9_000, new Complete(7)),
                new Case("no epoch begins before they have committed it", told, 5_000, new Wait(START + 30_000)),
                new Case("nor while one has not", told.committed("a", 7), 5_000, new Wait(START + 30_000)),
                new Case("it is marked", done, 50, new Mark(7)),
                new Case("nothing begins before it is marked", done.marking(7), 5_000, new Wait(START + 30_000)),
                new Case("then the first epoch", done.marking(7).marked(7), 5_000, new Begin(8, false)),
                new Case("not even the last", settled(told), 5_000, new Wait(START + 30_000)),
                new Case("the last after it", settled(done.marking(7).marked(7)), 5_000, new Begin(8, true)));
    }

    @TestFactory
    Stream<DynamicTest> theUserHearsOfTroubleOnce() {
        EpochProgress stale = complete().toldComplete(1).committed("a", 1);
        EpochProgress slow = frozen().writing(false);
        EpochProgress over = begun().dropped(FULL).told(Told.STALE).begun(2, false, START + 89_000).frozen("a", 2).frozen("b", 2)
                .writing(false).complete(START + 90_000).toldComplete(2).committed("a", 2).committed("b", 2).marking(2).marked(2);
        return check(
                new Case("two are dropped", dropped(2), 2_100, new Wait(START + 3_000)),
                new Case("three are", dropped(3), 3_100, new Warn(Told.DROPPED, "3 epochs in a row were dropped: " + FULL)),
                new Case("it was said", dropped(3).told(Told.DROPPED), 3_100, new Wait(START + 4_000)),
                new Case("one complete between them: they are not in a row",
                        dropped(2).begun(3, false, START + 3_000).frozen("a", 3).frozen("b", 3).writing(false)
                                .complete(START + 3_100).toldComplete(3).begun(4, false, START + 4_000).dropped(FULL), 4_100,
                        new Wait(START + 5_000)),
                new Case("and three after it are told again",
                        again(dropped(3).told(Told.DROPPED)), 8_000,
                        new Warn(Told.DROPPED, "3 epochs in a row were dropped: " + FULL)),
                new Case("a minute without a complete one", begun().frozen("b", 1).dropped(FULL), 60_000,
                        new Warn(Told.STALE, "the state is stale: no epoch was complete for 60 s: the disk is full")),
                new Case("because one does not commit", stale.begun(2, false, START + 61_000), 61_200,
                        new Warn(Told.STALE, "the state is stale: no epoch was complete for 60 s: resource `b` has not committed"
                                + " epoch 1")),
                new Case("because the manifest is not written", slow, 60_000,
                        new Warn(Told.STALE, "the state is stale: no epoch was complete for 60 s: the manifest of epoch 1 is"
                                + " still being written")),
                new Case("because the next waits", fresh().begun(1, false, START + 55_000).frozen("a", 1), 60_000,
                        new Warn(Told.STALE, "the state is stale: no epoch was complete for 60 s: epoch 1 waits for resource"
                                + " `b`")),
                new Case("it was said that it is stale", begun().dropped(FULL).told(Told.STALE), 60_000, new Begin(2, false)),
                new Case("it is over", over, 95_000, new Warn(Told.FRESH, "the state is stale no more: epoch 2 is complete")),
                new Case("that was said", over.told(Told.FRESH), 95_000, new Begin(3, false)),
                new Case("and it may become stale again", over.told(Told.FRESH).begun(3, false, START + 150_000), 150_000 + 10,
                        new Warn(Told.STALE, "the state is stale: no epoch was complete for 60 s: epoch 3 waits for resources"
                                + " `a`, `b`")),
                new Case("30 s after a restore", restored().begun(10, false, START + 20_000).frozen("b", 10), 29_999,
                        new Wait(START + 30_000)),
                new Case("and none is complete", restored().begun(10, false, START + 25_000).frozen("a", 10), 30_000,
                        new Warn(Told.NONE_SINCE_RESTORE, "no epoch is complete 30 s after the restore from epoch 7: epoch 10"
                                + " waits for resource `b`")),
                new Case("and what was to be committed is not", replaying().toldComplete(7), 30_000,
                        new Warn(Told.NONE_SINCE_RESTORE, "no epoch is complete 30 s after the restore from epoch 7: resources"
                                + " `a`, `b` have not committed epoch 7")),
                new Case("it was said", restored().begun(10, false, START + 25_000).told(Told.NONE_SINCE_RESTORE), 30_000,
                        new Wait(START + 35_000)),
                new Case("a job without state has nothing to be stale", inMemory(), 1_000_000, new Wait(NEVER)));
    }

    /** One is complete, and three are dropped after it. */
    private static EpochProgress again(EpochProgress before) {
        EpochProgress facts = before.begun(4, false, START + 4_000).frozen("a", 4).frozen("b", 4).writing(false)
                .complete(START + 4_100).toldComplete(4);
        for (int epoch = 5; epoch <= 7; epoch++) {
            facts = facts.begun(epoch, false, START + 1_000L * epoch).refused("b", epoch, FULL).dropped(FULL);
        }
        return facts;
    }

    @TestFactory
    Stream<DynamicTest> aJobEndsWithOneMoreEpoch() {
        EpochProgress last = last(fresh());
        EpochProgress told = last.frozen("a", 1).frozen("b", 1).writing(false).complete(START + 3_100).toldComplete(1);
        return check(
                new Case("one has settled", fresh().settled("a", false), 500, new Wait(START + 1_000)),
                new Case("epochs go on while one has not", fresh().settled("a", false), 1_000, new Begin(1, false)),
                new Case("all have: at once", settled(fresh()), 500, new Begin(1, true)),
                new Case("not before the one under way is over", settled(begun()), 1_100, new Wait(START + 11_000)),
                new Case("which is written", settled(frozen()), 1_100, new Write(1)),
                new Case("and committed, while the last is begun", settled(complete().toldComplete(1)), 1_300,
                        new Begin(2, true)),
                new Case("after one that is dropped", settled(begun().dropped(FULL)), 1_300, new Begin(2, true)),
                new Case("it waits for all", last.frozen("a", 1), 3_050, new Wait(START + 13_000)),
                new Case("it is written", last.frozen("a", 1).frozen("b", 1), 3_050, new Write(1)),
                new Case("it is committed", told, 3_200, new Wait(NEVER)),
                new Case("by one", told.committed("b", 1), 3_200, new Wait(NEVER)),
                new Case("by all, which is the end; its mark comes after it", told.committed("b", 1).committed("a", 1), 3_200,
                        new Conclude()),
                new Case("the one before is marked first",
                        last(complete().toldComplete(1)).frozen("a", 2).frozen("b", 2).writing(false).complete(START + 3_100)
                                .committed("a", 1).committed("b", 1), 3_200, new Mark(1)),
                new Case("not while an older one is uncommitted",
                        last(complete().toldComplete(1)).frozen("a", 2).frozen("b", 2).writing(false)
                                .complete(START + 3_100), 3_200, new Wait(NEVER)),
                new Case("members that are through need none", fresh().without("a").settled("b", false), 500,
                        new Begin(1, true)),
                new Case("nobody is left", inMemory().without("a").without("b"), 500, new Begin(1, true)));
    }

    @TestFactory
    Stream<DynamicTest> anEpochThatFindsAllEndedIsTheLast() {
        EpochProgress ended = frozen().writing(true);
        EpochProgress told = ended.complete(START + 1_200).toldComplete(1);
        EpochProgress committed = told.committed("a", 1).committed("b", 1);
        return check(
                new Case("it is written", ended, 1_100, new Wait(START + 60_000)),
                new Case("it is committed", ended.complete(START + 1_200), 1_200, new Complete(1)),
                new Case("none follows it", told, 2_000, new Wait(START + 61_200)),
                new Case("not even when all have settled", settled(told), 1_300, new Wait(NEVER)),
                new Case("the end waits for what members send last", committed, 1_300, new Wait(START + 61_200)),
                new Case("that is the end", settled(committed), 1_300, new Conclude()),
                new Case("if it is dropped, another is the last", settled(ended.dropped(FULL)), 2_100, new Begin(2, true)));
    }

    @TestFactory
    Stream<DynamicTest> theLastEpochIsTriedAgain() {
        EpochProgress once = last(fresh()).dropped(FULL);
        EpochProgress twice = once.begun(2, true, START + 4_000).dropped(FULL);
        EpochProgress thrice = twice.begun(3, true, START + 5_000).dropped(FULL).told(Told.DROPPED);
        return check(
                new Case("one cannot write it", last(fresh()).refused("a", 1, FULL), 3_050,
                        new Drop(1, "resource `a`: the disk is full")),
                new Case("after a pause", once, 3_060, new Wait(START + 4_000)),
                new Case("with another number", once, 4_000, new Begin(2, true)),
                new Case("again", twice, 5_000, new Begin(3, true)),
                new Case("three times are enough", thrice, 5_100, new Fail(FULL)),
                new Case("without state there is nothing to try again", last(inMemory()).dropped(FULL), 3_060, new Fail(FULL)));
    }

    @TestFactory
    Stream<DynamicTest> aJobThatIsCutShort() {
        return check(
                new Case("keeps what it has in the last complete epoch", fresh().settled("a", true).settled("b", false), 500,
                        new Abandon()),
                new Case("one member suffices", fresh().settled("a", false).settled("b", true), 500, new Abandon()),
                new Case("not before all have settled", fresh().settled("a", true), 500, new Wait(START + 1_000)),
                new Case("not before what is complete is committed",
                        complete().toldComplete(1).settled("a", true).settled("b", true), 1_300, new Wait(NEVER)),
                new Case("not while an epoch is under way", begun().settled("a", true).settled("b", true), 1_100,
                        new Wait(START + 11_000)),
                new Case("commits what it has where it keeps no state", inMemory().settled("a", true).settled("b", true), 500,
                        new Begin(1, true)));
    }

    @TestFactory
    Stream<DynamicTest> aJobWithoutStateEndsTheSameWay() {
        EpochProgress facts = inMemory();
        List<Case> cases = new ArrayList<>();
        cases.add(new Case("it waits for all", facts.settled("a", false), 500, new Wait(NEVER)));
        facts = settled(facts);
        cases.add(new Case("its only epoch", facts, 500, new Begin(1, true)));
        facts = facts.begun(1, true, START + 500);
        cases.add(new Case("it waits for sinks that prepare", facts, 600, EpochStep.Wait.FOR_AN_EVENT));
        facts = facts.frozen("a", 1).frozen("b", 1);
        cases.add(new Case("all have prepared", facts, 600, new Write(1)));
        facts = facts.writing(false).complete(START + 600);
        cases.add(new Case("they commit", facts, 600, new Complete(1)));
        facts = facts.toldComplete(1).committed("a", 1).committed("b", 1);
        cases.add(new Case("they have: that is all", facts, 700, new Conclude()));
        return check(cases.toArray(Case[]::new));
    }
}
