package io.despina.operator.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.Marker;
import io.despina.log.RottenLogException;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Sink;
import io.despina.operator.outbox.FakeTarget.Fault;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutboxTest {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.INT, true));
    private static final long LOG_BYTES = 1 << 20;
    private static final int LIVES = 12;
    private static final int EPOCHS = 8;

    @TempDir
    private Path folder;
    private FakeTarget target = new FakeTarget();
    private final List<String> names = new ArrayList<>();
    /** How often the sink was told that no row follows. */
    private int ends;
    private OperatorHarness outbox;

    /** Sends to the target of this test in transactions. */
    private final class Marked implements MarkedSink {
        private final List<Integer> rows = new ArrayList<>();
        private String owner;
        private long epoch;
        private OperatorContext context;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
        }

        @Override
        public Marker marker(String owner, long epoch) {
            return target.marker(owner, epoch);
        }

        @Override
        public void begin(String owner, long epoch) {
            this.owner = owner;
            this.epoch = epoch;
            rows.clear();
        }

        @Override
        public void process(int port, PacketCursor packets) throws Exception {
            Packet packet;
            while ((packet = packets.next()) != null) {
                if (packet.getInt(0) < 0) {
                    context.badRecord("negative", "row " + packet.getInt(0));
                } else {
                    rows.add(packet.getInt(0));
                }
            }
        }

        @Override
        public boolean release() throws IOException {
            target.commit(owner, epoch, List.copyOf(rows));
            return true;
        }
    }

    /** Lets each row go at once. */
    private final class Plain implements LeavingSink {
        @Override
        public void begin(String owner, long epoch) {
            names.add(owner + " " + epoch);
        }

        @Override
        public void over() {
            ends++;
        }

        @Override
        public void process(int port, PacketCursor packets) throws IOException {
            Packet packet;
            while ((packet = packets.next()) != null) {
                target.rows.add(packet.getInt(0));
                if (target.takeFault() == Fault.LOST) {
                    throw new IOException("the target is gone");
                }
            }
        }
    }

    private void open(boolean marked) throws Exception {
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(marked ? new Marked() : new Plain(), Runnable::run, LOG_BYTES))
                .inputs(NUMBER).keeping(folder).open();
    }

    private Sink sink() {
        return (Sink) outbox.operator();
    }

    private void feed(int from, int to) throws Exception {
        for (int k = from; k < to; k++) {
            outbox.feedRow(0, k);
        }
    }

    private Map<String, byte[]> prepared(long epoch) throws Exception {
        var done = sink().prepare(epoch);
        Map<String, byte[]> snapshot = outbox.snapshot();
        done.join();
        return snapshot;
    }

    private boolean isCommitted(long epoch) throws Exception {
        try {
            sink().commit(epoch).join();
            return true;
        } catch (CompletionException e) {
            assertEquals("the target is gone", e.getCause().getMessage());
            return false;
        }
    }

    @AfterEach
    void close() throws IOException {
        if (outbox != null) {
            outbox.close();
        }
    }

    @Test
    void aBadRowIsToldOnceHoweverOftenItsEpochIsSent() throws Exception {
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(new Marked(), Runnable::run, LOG_BYTES)).inputs(NUMBER)
                .outputs(NUMBER).skippingBadRecords().keeping(folder).open();
        List<Fault> faults = List.of(Fault.UNKNOWN, Fault.ANSWER_LOST);
        for (int epoch = 1; epoch <= faults.size(); epoch++) {
            outbox.feedRow(0, -epoch);
            outbox.feedRow(0, 7);
            prepared(epoch);
            target.fault = faults.get(epoch - 1);
            assertTrue(isCommitted(epoch));
            outbox.operator().release();
        }
        assertEquals(List.of(7, 7), target.rows);
        assertEquals(List.of("negative: row -1", "negative: row -2"), outbox.badRecords);
    }

    @Test
    void aBadRowOfTheLastEpochIsCounted() throws Exception {
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(new Marked(), Runnable::run, LOG_BYTES)).inputs(NUMBER)
                .outputs(NUMBER).skippingBadRecords().keeping(folder).open();
        outbox.feedRow(0, -1);
        prepared(1);
        assertTrue(isCommitted(1));
        sink().taken().join();
        assertEquals(List.of("negative: row -1"), outbox.badRecords);
    }

    @Test
    void rowsLeaveWithTheirEpoch() throws Exception {
        open(false);
        feed(0, 3);
        assertEquals(List.of(), target.rows);
        prepared(1);
        feed(3, 5);
        assertEquals(List.of(), target.rows);
        assertTrue(isCommitted(1));
        assertEquals(List.of(0, 1, 2), target.rows);
        prepared(2);
        prepared(3);
        assertTrue(isCommitted(2) && isCommitted(3));
        assertEquals(List.of(0, 1, 2, 3, 4), target.rows);
    }

    @Test
    void rowsLeaveAtOnceWhereNoStateIsKept() throws Exception {
        outbox = OperatorHarness.of(() -> new Outbox(new Plain(), Runnable::run, LOG_BYTES)).inputs(NUMBER).open();
        feed(0, 3);
        assertEquals(List.of(0, 1, 2), target.rows);
        assertEquals(List.of(), sink().states());
        assertTrue(sink().prepare(1).isDone() && sink().commit(1).isDone());
    }

    @Test
    void anEpochThatWasOnItsWayLeavesAgainUnderItsName() throws Exception {
        open(false);
        feed(0, 3);
        prepared(1);
        assertTrue(isCommitted(1));
        feed(3, 6);
        Map<String, byte[]> second = prepared(2);
        target.fault = Fault.LOST;
        assertFalse(isCommitted(2));
        outbox.restart(second);
        assertTrue(isCommitted(2));
        assertEquals(List.of(0, 1, 2, 3, 3, 4, 5), target.rows);
        assertEquals(names.get(1), names.get(2));
        assertEquals(names.get(0).replace(" 1", " 2"), names.get(1));
        outbox.restart(second);
        assertTrue(isCommitted(2));
        assertEquals(7, target.rows.size());
    }

    @Test
    void whoIsInterruptedBehindTheLastRowHasSentTheEpoch() throws Exception {
        LeavingSink interrupted = new LeavingSink() {
            @Override
            public void process(int port, PacketCursor packets) {
                while (packets.next() != null) {
                    names.add("row");
                }
            }

            @Override
            public boolean release() {
                Thread.currentThread().interrupt();
                return true;
            }
        };
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(interrupted, Runnable::run, LOG_BYTES)).inputs(NUMBER)
                .keeping(folder).open();
        feed(0, 1);
        Map<String, byte[]> first = prepared(1);
        assertTrue(isCommitted(1) && Thread.interrupted());
        outbox.restart(first);
        assertTrue(isCommitted(1));
        assertEquals(List.of("row"), names);
    }

    @Test
    void whatWasPreparedAfterTheEpochComesFromTheJobAgain() throws Exception {
        open(false);
        feed(0, 3);
        Map<String, byte[]> first = prepared(1);
        feed(3, 6);
        prepared(2);
        outbox.restart(first);
        assertTrue(isCommitted(1));
        feed(13, 14);
        prepared(3);
        assertTrue(isCommitted(3));
        assertEquals(List.of(0, 1, 2, 13), target.rows);
        assertThrows(CompletionException.class, () -> sink().commit(4).join());
        outbox.restartAfresh();
        feed(20, 21);
        prepared(5);
        assertTrue(isCommitted(5));
        assertEquals(List.of(0, 1, 2, 13, 20), target.rows);
    }

    @Test
    void aNewInstanceHasNothingOfTheEpochsBefore() throws Exception {
        open(false);
        feed(0, 3);
        Map<String, byte[]> first = prepared(1);
        outbox.close();
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(new Plain(), Runnable::run, LOG_BYTES)).inputs(NUMBER)
                .keeping(folder.resolve("other")).instance(1, 2).open();
        outbox.restart(first, 1);
        assertTrue(isCommitted(1));
        assertEquals(List.of(), target.rows);
        feed(3, 4);
        prepared(2);
        assertTrue(isCommitted(2));
        assertEquals(List.of(3), target.rows);
    }

    @Test
    void aNewInstanceOfAJobWhoseInputHadEndedTellsOfTheEndToo() throws Exception {
        open(false);
        feed(0, 1);
        assertTrue(outbox.operator().end());
        Map<String, byte[]> last = prepared(1);
        outbox.close();
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(new Plain(), Runnable::run, LOG_BYTES)).inputs(NUMBER)
                .keeping(folder.resolve("other")).instance(1, 2).open();
        outbox.restart(last, 1);
        assertTrue(isCommitted(1));
        assertEquals(0, ends);
        sink().taken().join();
        assertEquals(1, ends);
    }

    @Test
    void fewerInstancesCannotTakeWhatWaits() throws Exception {
        open(false);
        Map<String, byte[]> first = prepared(1);
        SnapshotException why = assertThrows(SnapshotException.class, () -> outbox.restart(first, 2));
        assertEquals("rows of `tested` wait in 2 outboxes; they cannot leave at parallelism 1", why.getMessage());
    }

    @Test
    void rowsThatAreGoneAreNotPassedOver(@TempDir Path empty) throws Exception {
        open(false);
        feed(0, 3);
        Map<String, byte[]> first = prepared(1);
        outbox.close();
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(new Plain(), Runnable::run, LOG_BYTES)).inputs(NUMBER)
                .keeping(empty).open();
        RottenLogException gone = assertThrows(RottenLogException.class, () -> outbox.restart(first));
        assertTrue(gone.getMessage().endsWith("records before 3 were"), gone.getMessage());
    }

    @Test
    void aSavepointIsOfRowsThatHaveLeft(@TempDir Path empty) throws Exception {
        open(false);
        feed(0, 3);
        Map<String, byte[]> first = prepared(1);
        assertTrue(isCommitted(1));
        outbox.close();
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(new Plain(), Runnable::run, LOG_BYTES)).inputs(NUMBER)
                .keeping(empty).committed().open();
        outbox.restart(first);
        assertTrue(isCommitted(1));
        feed(3, 5);
        prepared(2);
        assertTrue(isCommitted(2));
        assertEquals(List.of(0, 1, 2, 3, 4), target.rows);
    }

    @Test
    void everyTargetWithMarkersHasEachRowOnce() throws Exception {
        for (int life = 0; life < LIVES; life++) {
            for (FakeTarget each : List.of(new FakeTarget(), new FakeTarget.Pruning(), new FakeTarget.Slow())) {
                target = each;
                live(new Random(life), folder.resolve(life + each.getClass().getSimpleName()));
            }
        }
    }

    private void live(Random random, Path own) throws Exception {
        try (OperatorHarness one = OperatorHarness.of(() -> (Operator) new Outbox(new Marked(), Runnable::run, LOG_BYTES))
                .inputs(NUMBER).keeping(own).open()) {
            outbox = one;
            List<Integer> all = new ArrayList<>();
            Map<String, byte[]> last = null;
            for (long epoch = 1; epoch <= EPOCHS; epoch++) {
                int from = all.size();
                int to = from + random.nextInt(4);
                feed(from, to);
                if (last != null && random.nextInt(4) == 0) {
                    outbox.restart(last);
                    assertTrue(isCommitted(epoch - 1));
                    feed(from, to);
                }
                last = prepared(epoch);
                for (int k = from; k < to; k++) {
                    all.add(k);
                }
                target.fault = Fault.values()[random.nextInt(Fault.values().length)];
                while (!isCommitted(epoch)) {
                    outbox.restart(last);
                }
                target.fault = Fault.NONE;
                if (random.nextInt(3) == 0) {
                    outbox.restart(last);
                    assertTrue(isCommitted(epoch));
                }
                assertEquals(all, target.rows);
            }
        }
        outbox = null;
    }

    @Test
    void whatWaitsForItsTargetIsCutWhenTheJobEnds() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch cut = new CountDownLatch(1);
        LeavingSink stuck = new LeavingSink() {
            @Override
            public void process(int port, PacketCursor packets) throws IOException {
                waits.countDown();
                for (boolean over = false; !over;) {
                    try {
                        over = cut.await(1, TimeUnit.MINUTES);
                    } catch (InterruptedException notTold) {
                        continue;       // as a read of a socket
                    }
                }
                throw new IOException("the target is gone");
            }

            @Override
            public void cut() {
                cut.countDown();
            }
        };
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(stuck, ForkJoinPool.commonPool(), LOG_BYTES)).inputs(NUMBER)
                .keeping(folder).open();
        feed(0, 1);
        prepared(1);
        CompletableFuture<Void> committed = sink().commit(1);
        assertTrue(waits.await(1, TimeUnit.MINUTES));
        outbox.close();
        assertThrows(ExecutionException.class, () -> committed.get(1, TimeUnit.MINUTES));
    }

    /** The thread that closes may be interrupted while it waits for the one that sends. */
    @Test
    void theTargetIsNotClosedUnderTheThreadThatSends() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        List<String> calls = new CopyOnWriteArrayList<>();
        LeavingSink slow = new LeavingSink() {
            @Override
            public void process(int port, PacketCursor packets) {
                waits.countDown();
                boolean interrupted = false;
                for (boolean over = false; !over;) {
                    try {
                        over = answer.await(1, TimeUnit.MINUTES);
                    } catch (InterruptedException notTold) {
                        interrupted = true;     // as a read of a socket, which leaves it set
                    }
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                while (packets.next() != null) {
                    calls.add("row");
                }
            }

            @Override
            public void close() {
                calls.add(Thread.currentThread().isInterrupted() ? "closed by a thread that is interrupted" : "closed");
                closed.countDown();
            }
        };
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(slow, ForkJoinPool.commonPool(), LOG_BYTES)).inputs(NUMBER)
                .keeping(folder).open();
        feed(0, 1);
        prepared(1);
        CompletableFuture<Void> committed = sink().commit(1);
        assertTrue(waits.await(1, TimeUnit.MINUTES));
        Thread.currentThread().interrupt();
        outbox.close();
        assertTrue(Thread.interrupted());
        assertEquals(List.of(), calls);
        answer.countDown();
        assertTrue(closed.await(1, TimeUnit.MINUTES));
        assertEquals(List.of("row", "closed"), calls);
        committed.get(1, TimeUnit.MINUTES);
        outbox = null;
    }

    @Test
    void aPrunedHistoryProvesNothing() throws Exception {
        target = new FakeTarget.Pruning();
        open(true);
        feed(0, 2);
        prepared(1);
        assertTrue(isCommitted(1));
        feed(2, 4);
        Map<String, byte[]> second = prepared(2);
        outbox.restart(second);
        target.markers.values().forEach(known -> {
            known.clear();
            known.add(7L);
        });
        CompletionException why = assertThrows(CompletionException.class, () -> sink().commit(2).join());
        assertTrue(why.getCause().getMessage().startsWith("the target of `tested` no longer knows whether it has epoch 2 of the "
                + "outbox "), why.getCause().getMessage());
        assertEquals(List.of(0, 1), target.rows);
    }
}
