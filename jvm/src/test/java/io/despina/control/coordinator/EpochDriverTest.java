package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StatePlace;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.runtime.task.FrozenInstance;
import io.despina.snapshot.Claim;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Savepoint;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the decisions about epochs: messages to two members, files in a folder, and the time, all by hand. */
class EpochDriverTest {
    private static final Attempt ATTEMPT = Attempt.first("one");
    private static final long EVERY = 1_000;
    private static final Refusal BROKE = new Refusal("operator", "it broke", null);

    private final HandTimer timer = new HandTimer();
    private final Deque<Runnable> aside = new ArrayDeque<>();
    private final FakeMember a = new FakeMember("a");
    private final FakeMember b = new FakeMember("b");
    private final FakeStore store = new FakeStore() {
        @Override
        protected void change(String path) throws IOException {
            if (fails != null && path.contains(fails)) {
                throw new IOException("No space left on device");
            }
            if (runsOut != null && path.contains(runsOut)) {
                throw new OutOfMemoryError("Java heap space");
            }
        }
    };
    private final StateFolder folder = StateFolder.at(store, "relay");
    /** Files whose names have it cannot be written; null for none. */
    private String fails;
    /** The same, for want of memory. */
    private String runsOut;
    /** Those that were changed in an earlier attempt. */
    private Map<String, String> schedules = Map.of();
    private JobAttempt job;
    private Environment environment;

    @AfterEach
    void end() {
        timer.shutdownNow();
    }

    /** A job that runs and keeps its state. @param from the epoch from which it goes on, 0 for none */
    private void run(int attempt, long from, boolean replays) throws Exception {
        environment = new Environment(() -> TimeUnit.MILLISECONDS.toNanos(timer.millis()), timer::millis, timer,
                aside::add, null, address -> new FakeStore());
        JobOptions options = JobOptions.parse("{}", System::currentTimeMillis);
        JobPlan planned = JobPlan.of(JobGraphs.relay(10), "test", options).value();
        job = new JobAttempt(ATTEMPT, planned, new Submission("", "test", options), environment);
        CommitPermit replay = replays ? folder.again(from) : null;
        StatePlace place = new StatePlace("fake", "relay", from, !replays, List.of());
        job.keepIn(new KeptEpochs(folder, new KeptEpochs.Begin(attempt, EVERY, place, replay, from,
                new KeptEpochs.Changed(schedules, Map.of(), Map.of()), null, List.of()),
                new Manifest.Origin("0.3.0", "relay", "d", "p", 256, 5, Map.of(), Map.of()), Map.of()));
        Map<Member, Message.Deploy> parts = new LinkedHashMap<>();
        parts.put(a, null);
        parts.put(b, null);
        job.deploy(parts);
        job.received(a, new Message.Ready(ATTEMPT));
        job.received(b, new Message.Ready(ATTEMPT));
    }

    private void runAnew() throws Exception {
        folder.claim(new Claim(1, "c", "here", 1, 0, 5, Map.of(), null));
        folder.start(1, new Claim.Start(0, null));
        run(1, 0, false);
    }

    private void froze(FakeMember member, long epoch, boolean ended) {
        job.received(member, new Message.Frozen(ATTEMPT, epoch, null,
                List.of(new FrozenInstance("relay", member == a ? 0 : 1, ended, 0, Map.of("packetsIn", 7L)))));
    }

    private void committed(long epoch) {
        job.received(a, new Message.Committed(ATTEMPT, epoch, false));
        job.received(b, new Message.Committed(ATTEMPT, epoch, false));
    }

    private void work() {
        while (!aside.isEmpty()) {
            aside.poll().run();
        }
    }

    /** What both members were told of epochs and of the end since the last call. */
    private List<String> told() {
        List<String> words = new ArrayList<>();
        for (Message each : a.told) {
            if (each instanceof Message.Barrier barrier) {
                words.add("barrier " + barrier.epoch());
            } else if (each instanceof Message.Complete complete) {
                words.add((complete.isLast() ? "complete last " : "complete ") + complete.epoch());
            } else if (each instanceof Message.Drop drop) {
                words.add("drop " + drop.epoch());
            } else if (each instanceof Message.Stop stop) {
                words.add("stop " + stop.mode());
            } else if (each instanceof Message.Conclude) {
                words.add("conclude");
            }
        }
        assertEquals(a.told, b.told);
        a.told.clear();
        b.told.clear();
        return words;
    }

    private EpochFacts.Standing standing(long epoch) throws IOException {
        return folder.facts().epochs().stream().filter(each -> each.epoch() == epoch).findFirst().orElseThrow().standing();
    }

    private void completes(long epoch) {
        timer.runNext();
        assertEquals(List.of("barrier " + epoch), told());
        froze(a, epoch, false);
        froze(b, epoch, false);
        work();
        assertEquals(List.of("complete " + epoch), told());
    }

    /** Epoch 2 is it, and is complete. */
    private void beginsSavepoint(SavepointCopy copy) throws Refusal {
        job.savepoint(copy);
        completes(1);
        committed(1);
        work();
        completes(2);
    }

    @Test
    void anEpochIsCompleteWhenItsManifestIsKept() throws Exception {
        runAnew();
        assertEquals(EVERY, timer.nextDelay());
        timer.runNext();
        assertEquals(List.of("barrier 1"), told());
        froze(a, 1, false);
        assertEquals(0, aside.size());
        froze(b, 1, false);
        assertEquals(List.of(), told(), "nothing waits for a disk under the lock");
        work();
        assertEquals(List.of("complete 1"), told());
        assertEquals(EpochFacts.Standing.COMMITTING, standing(1));
        assertEquals(Map.of("packetsIn", 7L), folder.read(1).operators().get("relay").instances().get(1).counters());
        committed(1);
        assertEquals(EpochFacts.Standing.COMMITTING, standing(1));
        work();
        assertEquals(EpochFacts.Standing.COMMITTED, standing(1));
    }

    @Test
    void aJobHasNotEndedWhileItsFolderIsCleared() throws Exception {
        runAnew();
        for (long epoch = 1; epoch <= 10; epoch++) {
            work();
            completes(epoch);
            committed(epoch);
        }
        job.fail(BROKE);
        job.received(a, new Message.Finished(ATTEMPT, List.of()));
        job.received(b, new Message.Finished(ATTEMPT, List.of()));
        assertFalse(job.status().state().isEnd(), "files are deleted, and who is told of the end may copy them");
        work();
        assertTrue(job.status().state().isEnd());
        assertFalse(folder.facts().epochs().stream().anyMatch(each -> each.epoch() == 1), "cleared");
    }

    @Test
    void whatComesTooLateIsOfNoEpoch() throws Exception {
        runAnew();
        timer.runNext();
        job.received(b, new Message.NotFrozen(ATTEMPT, 1, "No space left on device"));
        assertEquals(List.of("barrier 1", "drop 1"), told());
        froze(a, 1, false);
        froze(b, 1, false);
        work();
        assertEquals(List.of(), folder.facts().epochs());
        completes(2);
        committed(1);
        work();
        assertEquals(EpochFacts.Standing.COMMITTING, standing(2));
    }

    @Test
    void aManifestThatCannotBeWrittenDropsItsEpoch() throws Exception {
        runAnew();
        timer.runNext();
        fails = "manifest";
        froze(a, 1, false);
        froze(b, 1, false);
        work();
        assertEquals(List.of("barrier 1", "drop 1"), told());
        assertEquals("its manifest cannot be written: No space left on device", job.status().epochs().trouble().why());
        fails = null;
        completes(2);
        assertEquals(1, job.status().epochs().dropped());
    }

    @Test
    void whoHoldsUpAnEpochThatIsLateIsInItsReason() throws Exception {
        runAnew();
        timer.runNext();
        froze(a, 1, false);
        while (!told().contains("drop 1")) {
            timer.runNext();
        }
        job.received(b, new Message.Behind(ATTEMPT, 1, "operator `relay`"));
        assertEquals("resource `b` did not write it within 10 s; `b` waits for operator `relay`",
                job.status().epochs().trouble().why());
    }

    @Test
    void anErrorWhileAManifestIsWrittenDropsItsEpochToo() throws Exception {
        runAnew();
        timer.runNext();
        runsOut = "manifest";
        froze(a, 1, false);
        froze(b, 1, false);
        work();
        assertEquals(List.of("barrier 1", "drop 1"), told());
        runsOut = null;
        completes(2);
    }

    @Test
    void anAttemptThatIsFencedOffCompletesNothingAndEnds() throws Exception {
        runAnew();
        timer.runNext();
        told();
        folder.claim(new Claim(2, "d", "there", 2, 0, 5, Map.of(), null));
        froze(a, 1, false);
        froze(b, 1, false);
        work();
        assertEquals(List.of("stop abort"), told());
        assertEquals(List.of(), folder.facts().epochs());
        assertEquals("fenced", job.status().error().rule());
    }

    @Test
    void aMarkThatCannotBeWrittenHoldsNothingUp() throws Exception {
        runAnew();
        completes(1);
        fails = "committed";
        committed(1);
        work();
        completes(2);
        assertEquals(EpochFacts.Standing.COMMITTING, standing(1));
        assertEquals(JobState.RUNNING, job.status().state());
    }

    @Test
    void whatEndsMeanwhileIsNotToldAnyMore() throws Exception {
        runAnew();
        timer.runNext();
        froze(a, 1, false);
        froze(b, 1, false);
        told();
        job.fail(BROKE);
        work();
        assertEquals(List.of("stop abort"), told(), "a permit of an attempt that has ended commits nothing");
        assertEquals(EpochFacts.Standing.COMMITTING, standing(1), "the next attempt commits it");
    }

    @Test
    void theCommitsOfAnEarlierAttemptComeFirst() throws Exception {
        runAnew();
        completes(1);
        job.fail(BROKE);
        told();
        folder.claim(new Claim(2, "c", "here", 1, 0, 5, Map.of(), null));
        folder.start(2, new Claim.Start(1, null));
        run(2, 1, true);
        assertEquals(List.of("complete 1"), told());
        committed(1);
        assertFalse(a.was(Message.Barrier.class));
        work();
        assertEquals(EpochFacts.Standing.COMMITTED, standing(1));
        assertTrue(timer.nextDelay() <= 100, "the first epoch comes soon");
        completes(2);
    }

    @Test
    void everyTenthEpochTheFolderIsCleared() throws Exception {
        runAnew();
        for (int epoch = 1; epoch <= 10; epoch++) {
            completes(epoch);
            committed(epoch);
            work();
        }
        assertEquals(List.of(8L, 9L, 10L), folder.facts().epochs().stream().map(EpochFacts::epoch).toList());
        store.nowMillis = timer.millis();
        folder.pin(9, (what, millis) -> null);
        for (int epoch = 11; epoch <= 20; epoch++) {
            completes(epoch);
            committed(epoch);
            work();
        }
        assertEquals(List.of(9L, 18L, 19L, 20L), folder.facts().epochs().stream().map(EpochFacts::epoch).toList());
    }

    @Test
    void theEpochOfASavepointIsLeftHoweverLongItTakes() throws Exception {
        runAnew();
        SavepointCopy copy = SavepointCopy.at("kept", environment);
        beginsSavepoint(copy);
        long until = timer.millis() + TimeUnit.HOURS.toMillis(1);
        while (timer.millis() < until) {
            timer.runNext();
            store.nowMillis = timer.millis();
            work();
        }
        assertEquals(Set.of(2L), folder.pinned(timer.millis()));
        committed(2);
        work();
        assertTrue(copy.done().isDone());
        assertEquals(2, copy.done().join().epoch());
        assertEquals(Set.of(), folder.pinned(timer.millis()));
    }

    @Test
    void aSavepointThatCannotBeWrittenForWantOfMemoryIsGivenUp() throws Exception {
        runAnew();
        SavepointCopy copy = new SavepointCopy("kept", Savepoint.begin(new FakeStore() {
            @Override
            public boolean createIfAbsent(String path, byte[] content) {
                throw new OutOfMemoryError("Java heap space");
            }
        }), environment);
        beginsSavepoint(copy);
        committed(2);
        work();
        assertTrue(copy.done().isDone());
        assertEquals("no savepoint was written to kept: Java heap space",
                assertThrows(CompletionException.class, () -> copy.done().join()).getCause().getMessage());
        assertEquals(Set.of(), folder.pinned(timer.millis()));
    }

    /** A disk that has room for so many files; there may be half a file that failed. */
    private static final class SmallDisk extends FakeStore {
        private int room;

        SmallDisk(int room) {
            this.room = room;
        }

        private void take(String path) throws IOException {
            if (room-- <= 0) {
                throw new FileSystemException("kept/" + path, null, "No space left on device");
            }
        }

        @Override
        public NewFile create(String path) throws IOException {
            NewFile file = super.create(path);
            take(path);
            return file;
        }

        @Override
        public boolean createIfAbsent(String path, byte[] content) throws IOException {
            boolean ours = super.createIfAbsent(path, content);
            take(path);
            return ours;
        }
    }

    @Test
    void aDiskThatIsFullWhileASavepointIsTakenKeepsNothingOfIt() throws Exception {
        runAnew();
        long epoch = 1;
        for (int room = 1; room <= 3; room++) {
            SmallDisk disk = new SmallDisk(room);
            SavepointCopy copy = new SavepointCopy("kept", Savepoint.begin(disk), environment);
            job.savepoint(copy);
            for (int more = 0; more < 2; more++, epoch++) {
                completes(epoch);
                committed(epoch);
                work();
            }
            if (room == 3) {
                assertEquals(epoch - 1, copy.done().get().epoch());
                assertEquals(Savepoint.read(disk), copy.done().get());
            } else {
                assertEquals("no savepoint was written to kept: No space left on device",
                        assertThrows(CompletionException.class, () -> copy.done().join()).getCause().getMessage());
                assertEquals(List.of(), disk.files(""), "with room for " + room);
            }
            assertEquals(Set.of(), folder.pinned(timer.millis()));
        }
    }

    @Test
    void changedSchedulesGoOnBehindARestart() throws Exception {
        schedules = Map.of("source", "{\"type\":\"data\"}");
        runAnew();
        Message.SetSchedule again = new Message.SetSchedule(ATTEMPT, "source", Json.object().put("type", "data"));
        assertEquals(List.of(again), a.told.stream().filter(Message.SetSchedule.class::isInstance).toList());
        completes(1);
        assertEquals(schedules, folder.read(1).origin().schedules(), "the next attempt has them, too");
    }

    @Test
    void theLastEpochEndsTheJob() throws Exception {
        endsWith(false);
        assertEquals(EpochFacts.Standing.COMMITTED, standing(1));
    }

    @Test
    void aJobWhoseRowsWereNotAllReadIsNotOver() throws Exception {
        endsWith(true);
        assertEquals(EpochFacts.Standing.COMMITTING, standing(1), "its reader may come back");
    }

    @Test
    void whatIsNotCommittedWhenTheDrainIsOverIsLeftForTheNextRun() throws Exception {
        runAnew();
        completes(1);
        timer.runNext();
        froze(a, 2, false);
        froze(b, 2, false);
        work();
        job.stop(Message.Stop.DRAIN);
        assertEquals(List.of("barrier 2", "stop drain"), told(), "epochs are committed one after the other");
        job.received(a, new Message.Settled(ATTEMPT, true, 5));
        job.received(b, new Message.Settled(ATTEMPT, false, 0));
        timer.pass(10_000 + Deadlines.SETTLE_MILLIS);
        assertEquals(List.of("stop abort"), told());
        finishes();
        assertLeft("the job did not drain within 10000 ms: its sinks have not committed epochs 1 to 2; the next run with this "
                + "state does");
        assertEquals("--drain-ms gives it more time", job.status().error().hint());
        assertEquals(JobStatus.Losses.NONE, job.status().losses(), "the next run has them all");
    }

    @Test
    void theLastEpochWaitsForASlowTargetUntilTheJobIsStopped() throws Exception {
        runAnew();
        lastIsComplete();
        timer.pass(10 * Deadlines.COMMIT_MILLIS);
        assertEquals(JobState.RUNNING, job.status().state());
        job.stop(Message.Stop.DRAIN);
        assertEquals(List.of(), told(), "sinks go on");
        timer.pass(10_000 + Deadlines.SETTLE_MILLIS);
        assertEquals(List.of("stop drain", "stop abort"), told(), "programs let their rows go before");
        finishes();
        assertLeft("the job could not commit in time: its sinks have not committed epoch 1; the next run with this state does");
    }

    @Test
    void asManyStopsAsThereAreLeaveTheSame() throws Exception {
        runAnew();
        lastIsComplete();
        job.stop(Message.Stop.DRAIN);
        timer.pass(1_000);
        job.stop(Message.Stop.DRAIN);
        timer.pass(10_000 + Deadlines.SETTLE_MILLIS);
        assertFalse(job.ended().isDone(), "its members are ending");
        finishes();
        assertLeft("the job could not commit in time: its sinks have not committed epoch 1; the next run with this state does");
    }

    @Test
    void aResourceThatDoesNotEndEitherIsNamed() throws Exception {
        runAnew();
        completes(1);
        job.stop(Message.Stop.DRAIN);
        timer.pass(10_000 + Deadlines.SETTLE_MILLIS);
        job.received(a, new Message.Finished(ATTEMPT, List.of()));
        timer.pass(Deadlines.END_MILLIS);
        assertLeft("the job did not drain within 10000 ms: its sinks have not committed epoch 1; the next run with this state "
                + "does: no more was heard from resource `b`");
    }

    private void assertLeft(String words) {
        assertTrue(job.ended().isDone());
        assertEquals(JobState.INCOMPLETE, job.status().state());
        assertEquals(words, job.status().error().getMessage());
    }

    private void finishes() {
        job.received(a, new Message.Finished(ATTEMPT, List.of()));
        job.received(b, new Message.Finished(ATTEMPT, List.of()));
        work();
    }

    private void lastIsComplete() throws Exception {
        job.received(a, new Message.Settled(ATTEMPT, false, 0));
        assertEquals(List.of(), told());
        job.received(b, new Message.Settled(ATTEMPT, false, 0));
        assertEquals(List.of("barrier 1"), told());
        froze(a, 1, true);
        froze(b, 1, true);
        work();
        assertEquals(List.of("complete last 1"), told());
    }

    private void endsWith(boolean rowsLeft) throws Exception {
        runAnew();
        lastIsComplete();
        job.received(a, new Message.Committed(ATTEMPT, 1, rowsLeft));
        job.received(b, new Message.Committed(ATTEMPT, 1, false));
        assertEquals(List.of("conclude"), told());
        job.received(a, new Message.Finished(ATTEMPT, List.of()));
        job.received(b, new Message.Finished(ATTEMPT, List.of()));
        assertEquals(EpochFacts.Standing.COMMITTING, standing(1), "until the tasks have ended, the job ends once more");
        work();
        assertTrue(job.ended().isDone());
        assertEquals(JobState.DONE, job.status().state());
    }
}
