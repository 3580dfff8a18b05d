package io.despina.control.staging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.StagedPart;
import io.despina.link.Attempt;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that come over connections are seen when their epoch is committed, once and in order, and wait where there is room. */
class StagingTest {
    private static final String SECRET = "0123456789abcdef0123";
    private static final Attempt JOB = Attempt.first("job");
    private static final int MB = 1 << 20;

    @TempDir
    private Path folder;
    private final ExecutorService requests = Executors.newCachedThreadPool();
    private final AtomicInteger woken = new AtomicInteger();
    private Wire resource;
    private Wire program;
    private StagedEpochs staged;
    private StageClient client;

    private static Wire wire() throws IOException {
        return Wire.open(WireOptions.local(SECRET.getBytes(StandardCharsets.UTF_8), new SegmentPool(new Budget(64 << 20)), 1, 1));
    }

    @BeforeEach
    void open() throws Exception {
        staged = new StagedEpochs(new StagedEpochs.Of("in", 0), folder,
                new StagedEpochs.Told(woken::incrementAndGet, null), System::nanoTime);
        resource = wire();
        resource.onControl(connection -> new StageServer(connection, requests,
                place -> place.equals(new StagePlace(JOB, "in", 0)) ? staged : null));
        program = wire();
        client = client(0);
        decide(Message.Fate.OPEN, 0);
    }

    private StageClient client(int instance) throws IOException {
        return new StageClient(program, "127.0.0.1", resource.port(), new StagePlace(JOB, "in", instance));
    }

    @AfterEach
    void close() {
        staged.release();
        program.close();
        resource.close();
        requests.shutdownNow();
    }

    private void decide(String what, long epoch, StagedPart... parts) {
        staged.decided(new Message.Fate(JOB, "in", "run", what, epoch, List.of(parts)));
    }

    private void stage(long epoch, long task, String rows) throws Exception {
        client.stage("run", epoch, task, rows.getBytes(StandardCharsets.UTF_8), rows.length());
    }

    @Test
    void theEndOfAnEpochIsToldWhenTheSourceComesBackForMore() throws Exception {
        AtomicInteger drained = new AtomicInteger();
        StagedEpochs told = new StagedEpochs(new StagedEpochs.Of("in", 1), folder,
                new StagedEpochs.Told(() -> { }, drained::incrementAndGet), System::nanoTime);
        told.append(new byte[] {1}, 1, 0);
        told.decided(new Message.Fate(JOB, "in", "run", Message.Fate.COMMIT, 0, List.of(new StagedPart(0, 7, 3))));
        assertEquals(1, told.next().length);
        assertEquals(0, drained.get(), "the row is on its way");
        assertNull(told.next());
        assertEquals(1, drained.get());
        assertNull(told.next());
        assertEquals(1, drained.get());
    }

    private String taken() {
        StringBuilder all = new StringBuilder();
        for (byte[] next = staged.next(); next != null; next = staged.next()) {
            all.append(new String(next, StandardCharsets.UTF_8));
        }
        return all.toString();
    }

    @Test
    void rowsAreSeenWhenTheirEpochIsCommittedInTheOrderOfItsParts() throws Exception {
        stage(0, 7, "ab");
        stage(0, 5, "de");
        stage(0, 7, "c");
        assertEquals("", taken());
        int before = woken.get();
        decide(Message.Fate.COMMIT, 0, new StagedPart(0, 7, 3), new StagedPart(1, 8, 4), new StagedPart(0, 5, 2));
        assertEquals("abcde", taken());
        assertTrue(woken.get() > before, "the source is told");
        assertFalse(staged.hasEnded());
    }

    @Test
    void anAttemptThatDoesNotCountLeavesNothing() throws Exception {
        stage(0, 1, "lost");
        stage(0, 2, "kept");
        decide(Message.Fate.COMMIT, 0, new StagedPart(0, 2, 4));
        stage(1, 3, "dropped");
        client.drop("run", 1, 3);
        stage(1, 3, "new");
        stage(2, 9, "aborted");
        decide(Message.Fate.COMMIT, 1, new StagedPart(0, 3, 3));
        decide(Message.Fate.ABORT, 2);
        assertEquals("keptnew", taken());
        assertThrows(IllegalStateException.class, () -> decide(Message.Fate.COMMIT, 2, new StagedPart(0, 9, 7)));
    }

    @Test
    void nothingIsStagedForAnEpochThatIsDecided() throws Exception {
        stage(3, 1, "kept");
        decide(Message.Fate.COMMIT, 3, new StagedPart(0, 1, 4));
        assertEquals("the rows for `in` (instance 0) come too late: epoch 3 of their query is over",
                assertThrows(StagingException.class, () -> stage(3, 2, "of a slow task")).getMessage());
        decide(Message.Fate.ABORT, 5);
        assertThrows(StagingException.class, () -> stage(4, 3, "of another"));
        stage(6, 4, "next");
        decide(Message.Fate.COMMIT, 6, new StagedPart(0, 4, 4));
        assertEquals("keptnext", taken());
    }

    @Test
    void rowsThatAreMissingAreToldAndNotPassedOver() throws Exception {
        stage(0, 1, "abc");
        IllegalStateException why = assertThrows(IllegalStateException.class,
                () -> decide(Message.Fate.COMMIT, 0, new StagedPart(0, 1, 4)));
        assertEquals("epoch 0 of a query has 4 rows of task 1 for `in` (instance 0), of which 3 are here", why.getMessage());
    }

    @Test
    void aRunThatIsOverStagesNothing() throws Exception {
        stage(0, 1, "abc");
        decide(Message.Fate.CLOSE, 0);
        decide(Message.Fate.OPEN, 0);
        assertThrows(IllegalStateException.class, () -> decide(Message.Fate.COMMIT, 0, new StagedPart(0, 1, 3)));
        assertThrows(StagingException.class, () -> staged.stage(new StagedEpochs.Key("other", 0, 1), new byte[1], 1, 0));
        assertThrows(StagingException.class, () -> client(1).stage("run", 0, 1, new byte[1], 1));
    }

    @Test
    void whatDoesNotFitIntoMemoryComesFromDiskInItsPlace() throws Exception {
        byte[] packets = new byte[MB];
        int count = (int) (StagedEpochs.MOST_MEMORY / MB) + 5;
        for (int k = 0; k < count; k++) {
            Arrays.fill(packets, (byte) k);
            client.stage("run", 0, 1, packets, 10);
        }
        stage(0, 2, "last");
        decide(Message.Fate.COMMIT, 0, new StagedPart(0, 1, count * 10L), new StagedPart(0, 2, 4));
        for (int k = 0; k < count; k++) {
            Arrays.fill(packets, (byte) k);
            assertArrayEquals(packets, staged.next(), "piece " + k);
        }
        assertEquals("last", taken());
    }

    @Test
    void stagingWaitsWhileTheSourceIsBehind() throws Exception {
        byte[] packets = new byte[MB];
        int count = (int) (StagedEpochs.MOST_BEHIND / MB);
        for (int k = 0; k < count; k++) {
            client.stage("run", 0, 1, packets, 1);
        }
        assertTrue(staged.stage(new StagedEpochs.Key("run", 1, 2), packets, 1, 0), "what is not committed holds nothing up");
        decide(Message.Fate.COMMIT, 0, new StagedPart(0, 1, count));
        assertFalse(staged.stage(new StagedEpochs.Key("run", 1, 2), packets, 1, 0));
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
            try {
                client.stage("run", 1, 2, packets, 1);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertEquals(MB, staged.next().length);
        waiting.join();
        decide(Message.Fate.COMMIT, 1, new StagedPart(0, 2, 2));
        for (int k = 1; k < count + 2; k++) {
            assertEquals(MB, staged.next().length);
        }
        assertNull(staged.next());
    }

    @Test
    void rowsOfNoEpochAreSeenAtOnce() throws Exception {
        client.append("now".getBytes(StandardCharsets.UTF_8), 3);
        assertEquals("now", taken());
        assertEquals(2, woken.get());
    }

    @Test
    void theInputEndsBehindWhatIsCommitted() throws Exception {
        stage(0, 1, "abc");
        decide(Message.Fate.COMMIT, 0, new StagedPart(0, 1, 3));
        staged.end();
        assertFalse(staged.hasEnded());
        assertEquals("abc", taken());
        assertTrue(staged.hasEnded());
        assertEquals("`in` (instance 0) takes no rows any more: its input was ended",
                assertThrows(StagingException.class, () -> stage(1, 1, "d")).getMessage());
    }
}
