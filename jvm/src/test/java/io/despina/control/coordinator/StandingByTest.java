package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.simulation.disk.SimulatedDisk;
import io.despina.snapshot.Claim;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.FencedException;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;
import io.despina.snapshot.TurnClaim;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs that wait for the end of another, in a folder with leases. Their clock is a test's, and their pauses are short. */
@Timeout(60)
class StandingByTest {
    private static final Holder FIRST = new Holder("first/g-1", "host", 12, 1, 0);

    private final AtomicLong clock = new AtomicLong();
    private final Leased store = new Leased();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> schedule(Runnable what, long delay, TimeUnit unit) {
            if (delay == store.leaseMillis()) {
                meanwhile.run();
            }
            return super.schedule(what, 1, TimeUnit.MILLISECONDS);
        }
    };
    /** When somebody gives way. */
    private volatile Runnable meanwhile = () -> { };
    /** How often it was told that a run stands by. */
    private final AtomicInteger told = new AtomicInteger();
    private final StateFolder folder = StateFolder.at(store, "g");
    private final FolderHold first = new FolderHold(store, folder.paths(), FIRST);

    /** Its time passes with each change. Who lets go of it does so as one that is killed: the lease stays. It may be away. */
    private static final class Leased extends FakeStore {
        private volatile CountDownLatch asked = new CountDownLatch(0);
        private volatile boolean away;
        private volatile boolean deleted;
        /** How often it does not say what is in it. */
        private volatile int silent;

        @Override
        protected synchronized void change(String path) {
            nowMillis++;
        }

        @Override
        public synchronized boolean createIfAbsent(String path, byte[] content) throws IOException {
            return super.createIfAbsent(path, content);
        }

        @Override
        public synchronized void replace(String path, byte[] content) throws IOException {
            super.replace(path, content);
        }

        @Override
        public void delete(String path) {
            deleted = true;
        }

        void empty(String path) throws IOException {
            super.delete(path);
        }

        @Override
        public synchronized boolean exists(String path) {
            return super.exists(path);
        }

        @Override
        public synchronized InputStream open(String path, long offset) throws IOException {
            if (silent > 0 && path.contains("/attempts/")) {
                silent--;
                throw new IOException("nobody answers");
            }
            return super.open(path, offset);
        }

        @Override
        public synchronized List<String> list(String in) {
            return super.list(in);
        }

        @Override
        public synchronized long modifiedMillis(String path) throws IOException {
            asked.countDown();
            if (away) {
                throw new IOException("nobody answers");
            }
            return super.modifiedMillis(path);
        }

        /** Waits until somebody has looked so often. */
        void looked(int times) throws InterruptedException {
            asked = new CountDownLatch(times);
            asked.await();
        }
    }

    @BeforeEach
    void aJobRuns() throws IOException {
        folder.claim(Claim.by(FIRST, 1, 1_000, 5));
        folder.start(1, new Claim.Start(0, null));
        first.look(0);
        first.renew(clock.get());
    }

    @AfterEach
    void end() {
        timer.shutdownNow();
        threads.shutdownNow();
    }

    private Environment environment(SnapshotStore in) {
        return new Environment(clock::get, () -> 1_000, timer, threads, null, address -> in);
    }

    private StateClaims.Found look(SnapshotStore in) throws Refusal {
        StateClaims claims = new StateClaims(environment(in));
        return claims.look(new Submission("{}", "g.json", JobOptions.parse(Json.object().put("state", "/s").put("standby", true)
                .toString(), () -> 1_000)), "g", "g-1", told::incrementAndGet);
    }

    @Test
    void whoCannotAskAtFirstDoesNotSayThatItStandsBy() {
        store.away = true;
        Refusal why = assertThrows(Refusal.class, () -> look(store));
        assertTrue(why.getMessage().contains("nobody answers"), why.getMessage());
        assertEquals(0, told.get());
    }

    private CompletableFuture<StateClaims.Found> standBy() {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return look(store);
            } catch (Refusal no) {
                throw new CompletionException(no);
            }
        }, threads);
    }

    private void leaseEnds() {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(60));
    }

    private static Refusal why(String rule) {
        return new Refusal(rule, "another was first", null);
    }

    @Test
    void whoLosesTheTurnStandsByForTheOneThatHasIt() throws Exception {
        CompletableFuture<StateClaims.Found> second = standBy();
        store.looked(3);
        leaseEnds();
        assertEquals(new StateClaims.Taken("g-1", 1), second.join().taken());
        Holder winner = new Holder("winner/g-1", "host", 12, 1, 0);
        folder.takeOver(TurnClaim.by(winner, 1, 1, 7));
        assertThrows(FencedException.class, () -> folder.takeOver(TurnClaim.by(FIRST, 1, 1, 7)));
        FolderHold hold = new FolderHold(store, folder.paths(), winner);
        hold.look(0);
        hold.seize();
        assertTrue(second.join().givesWay(why("fenced")));
        second.join().letGo();
        CompletableFuture<StateClaims.Found> again = standBy();
        store.looked(20);
        assertFalse(again.isDone());
        leaseEnds();
        assertEquals(new StateClaims.Taken("g-1", 2), again.join().taken());
        again.join().letGo();
    }

    /** On one machine the ports are what the second misses first. */
    @Test
    void whosePortsAreInUseStandsByIfAnotherHasTheJob() throws Exception {
        CompletableFuture<StateClaims.Found> second = standBy();
        store.looked(3);
        leaseEnds();
        assertFalse(second.join().givesWay(why("port_in_use")));
        assertFalse(second.join().givesWay(why("graph")));
        first.renew(clock.get());
        assertTrue(second.join().givesWay(why("port_in_use")));
        assertFalse(StateClaims.Found.NOTHING.givesWay(why("fenced")));
        second.join().letGo();
    }

    /** A third that stands by would take the job from the one that has it, which may be slow as it begins. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aLeaseThatTwoHaveHadIsThereAllTheTime(int waits) throws Exception {
        CompletableFuture<StateClaims.Found> second = standBy();
        store.looked(3);
        leaseEnds();
        second.join();
        AtomicInteger left = new AtomicInteger(waits);
        meanwhile = () -> {
            try {
                if (left.decrementAndGet() == 0) {
                    first.renew(clock.get());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        assertTrue(second.join().givesWay(why("port_in_use")));
        assertFalse(store.deleted);
    }

    /** As one that was held up, and has renewed its lease since. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoHasLostTheJobDeletesNoLease(boolean isLost) throws IOException {
        HeldFolder held = new HeldFolder(first, environment(store));
        held.tells(folder, FIRST);
        if (isLost) {
            folder.takeOver(TurnClaim.by(new Holder("second/g-1", "host", 12, 1, 0), 1, 1, 7));
        }
        held.close();
        assertEquals(!isLost, store.deleted);
    }

    @Test
    void whoeverRunsWhileNobodyCanBeAskedHasTheJobAllTheSame() throws Exception {
        CompletableFuture<StateClaims.Found> second = standBy();
        store.looked(3);
        store.away = true;
        store.looked(3);
        leaseEnds();
        store.looked(3);
        store.away = false;
        store.looked(3);
        assertFalse(second.isDone());
        leaseEnds();
        assertEquals(1, second.join().taken().turn());
        second.join().letGo();
    }

    /** The lease has ended, and nobody answers before more is asked. */
    @Test
    void aRegistryThatGoesAwayAsTheFolderIsFreeIsWaitedForToo() throws Exception {
        CompletableFuture<StateClaims.Found> second = standBy();
        store.looked(3);
        store.silent = 3;
        leaseEnds();
        assertEquals(1, second.join().taken().turn());
        assertEquals(0, store.silent);
        second.join().letGo();
    }

    /** The folder itself. */
    @ParameterizedTest
    @CsvSource({"FULL, No space left on device", "READ_ONLY, Read-only file system"})
    void aRegistryThatTakesNothingIsToldWithItsReason(SimulatedDisk.Trouble trouble, String why) {
        SimulatedDisk disk = SimulatedDisk.create("registry");
        try {
            disk.trouble(trouble, true);
            Refusal no = assertThrows(Refusal.class, () -> look(new LocalStore(disk.path().resolve("s"))));
            assertEquals("state", no.rule());
            assertEquals("the state folder /s cannot be used: " + disk.path().resolve("s") + ": " + why, no.getMessage());
        } finally {
            disk.remove();
        }
    }

    /** It has the folder, and has claimed nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRunThatIsLostBeforeItBeginsIsBegunByTheOneThatStandsBy(boolean afterAnother) throws Exception {
        if (afterAnother) {
            folder.ended(FIRST);
        } else {
            store.empty("g/attempts/");
        }
        Holder another = new Holder("another/g-1", "host", 13, 1, 0);
        FolderHold its = new FolderHold(store, folder.paths(), another);
        its.look(0);
        its.seize();
        CompletableFuture<StateClaims.Found> second = standBy();
        store.looked(3);
        leaseEnds();
        assertNull(second.join().taken());
        assertEquals(afterAnother ? 2 : 1, second.join().attempt());
        second.join().letGo();
    }

    /** It was held up, and one that has taken its lease has not claimed the job, and may be refused yet. */
    @Test
    void whoHasTheLastAttemptClaimsTheNextWhoeverHasTheLease() throws Exception {
        Submission submission = new Submission(JobGraphs.relay(10), "g.json", JobOptions.parse(Json.object().put("state", "/s")
                .toString(), () -> 1_000));
        JobPlan planned = JobPlan.of(submission.graphText(), "g.json", submission.options()).value();
        Attempt attempt = Attempt.first("relay-1");
        StateClaims claims = new StateClaims(environment(store));
        HeldFolder held = claims.claim(submission, planned, attempt, StateClaims.Found.NOTHING, null).begin().hold();
        FolderHold other = new FolderHold(store, StateFolder.at(store, "relay").paths(),
                new Holder("other/relay-1", "host", 13, 1, 0));
        other.look(0);
        other.seize();
        claims.claim(submission, planned, attempt.next(), null, held);
        assertFalse(other.isOwn());
        assertEquals(2, StateFolder.at(store, "relay").facts().greatestAttempt());
        held.close();
    }

    @Test
    void aRunThatHasEndedByItselfLeavesNothingToTakeOver() throws Exception {
        CompletableFuture<StateClaims.Found> second = standBy();
        store.looked(3);
        folder.ended(FIRST);
        leaseEnds();
        Throwable no = second.handle((found, failure) -> failure.getCause()).join();
        assertEquals("the run for which this one stood by has ended by itself, and nothing is left to take over",
                no.getMessage());
    }
}
