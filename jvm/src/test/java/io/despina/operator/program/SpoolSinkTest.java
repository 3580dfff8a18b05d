package io.despina.operator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Sink;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spool.KeptSpool;
import io.despina.spool.Spool;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolId;
import io.despina.spool.SpoolRecords;
import io.despina.spool.SpoolState;
import io.despina.spool.Spools;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolSinkTest {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.INT, true));
    private static final int LIVES = 20;
    private static final int EPOCHS = 12;

    @TempDir
    private Path folder;
    private final SpoolId id = new SpoolId(getClass().getName(), 0);
    private OperatorHarness sink;
    private boolean atOnce;
    private long mostBytes = 1 << 20;

    private void open() throws Exception {
        sink = OperatorHarness.of(() -> new SpoolSink(instance -> Spools.keep(id, "`rows`",
                new Spool.Options(folder, mostBytes, true, atOnce)), true)).inputs(NUMBER).keeping(folder).open();
    }

    @AfterEach
    void close() throws IOException {
        if (sink != null) {
            sink.close();
        }
        Spools.release(id);
    }

    private Sink sink() {
        return (Sink) sink.operator();
    }

    private static Spool spool(SpoolId of) {
        return Spools.find(of);
    }

    private void feed(int from, int to) throws Exception {
        for (int k = from; k < to; k++) {
            sink.feedRow(0, k);
        }
    }

    private Map<String, byte[]> prepared(long epoch) throws Exception {
        var done = sink().prepare(epoch);
        Map<String, byte[]> snapshot = sink.snapshot();
        done.join();
        return snapshot;
    }

    private Map<String, byte[]> complete(long epoch) throws Exception {
        Map<String, byte[]> snapshot = prepared(epoch);
        sink().commit(epoch);
        return snapshot;
    }

    /** What a reader sees from that row on. */
    private List<Integer> read(long from) throws IOException {
        List<Integer> read = new ArrayList<>();
        PacketCursor packets = PacketCursor.reusing(NUMBER.layout());
        long next = from;
        try (SpoolRecords records = new SpoolRecords(spool(id).access(), "`rows`", from)) {
            while (records.next(0)) {
                packets.reset(records.bytes(), records.from(), records.to());
                long row = records.first();
                for (Packet packet = packets.next(); packet != null; packet = packets.next()) {
                    if (row++ >= next) {
                        read.add(packet.getInt(0));
                    }
                }
                next = row;
            }
        }
        return read;
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    @Test
    void rowsAreVisibleWhenTheirEpochIsComplete() throws Exception {
        open();
        feed(0, 3);
        assertEquals(List.of(), read(0));
        prepared(1);
        feed(3, 5);
        assertEquals(List.of(), read(0));
        sink().commit(1);
        assertEquals(numbers(0, 3), read(0));
        prepared(2);
        prepared(3);
        sink().commit(3);
        assertEquals(numbers(1, 5), read(1));
        assertEquals(5, spool(id).state().rows());
    }

    @Test
    void aRestartDropsRowsThatNobodyHasSeenAndKeepsTheNumbersOfAllOthers() throws Exception {
        open();
        feed(0, 3);
        Map<String, byte[]> first = complete(1);
        spool(id).cut(2);
        feed(100, 104);
        prepared(2);
        sink.restart(first);
        assertEquals(List.of(2), read(2));
        assertEquals(3, spool(id).state().rows());
        feed(3, 6);
        complete(3);
        assertEquals(numbers(2, 6), read(2));
    }

    @Test
    void aCutMayBeNewerThanTheEpochFromWhichTheJobGoesOn() throws Exception {
        open();
        feed(0, 3);
        Map<String, byte[]> snapshot = complete(1);
        for (long epoch = 2; epoch < 9; epoch++) {
            spool(id).cut(spool(id).state().rows());
            Map<String, byte[]> before = snapshot;
            int rows = (int) spool(id).state().rows();
            feed(rows, rows + 2);
            snapshot = complete(epoch);
            spool(id).cut(rows + 2);
            if (epoch % 3 == 0) {
                sink.restart(before);       // the newest epoch is damaged
                assertEquals(rows, spool(id).state().rows());
                feed(rows, rows + 2);
                snapshot = complete(epoch + 100);
                assertEquals(numbers(rows, rows + 2), read(rows));
            }
        }
    }

    @Test
    void aRowThatWasCutIsRefusedByName() throws Exception {
        open();
        feed(0, 3);
        complete(1);
        spool(id).cut(2);
        SpoolException gone = assertThrows(SpoolException.class, () -> read(1));
        assertEquals("row 1 of `rows` is gone: rows before 2 have been committed", gone.getMessage());
    }

    @Test
    void theJobLastsUntilTheRowsOfTheLastEpochAreTaken() throws Exception {
        open();
        feed(0, 3);
        complete(1);
        feed(3, 5);
        sink.end();
        sink().end();
        Map<String, byte[]> last = prepared(2);
        assertFalse(spool(id).state().ended());
        assertTrue(sink().commit(2).isDone(), "the commits of other sinks do not wait for a reader");
        assertEquals(new SpoolState(0, 5, spool(id).state().bytes(), true), spool(id).state());
        assertFalse(sink().taken().isDone());
        sink.restart(last);
        assertFalse(spool(id).state().ended());
        sink().commit(2);
        CompletableFuture<Void> done = sink().taken();
        assertFalse(done.isDone());
        assertTrue(spool(id).state().ended());
        assertEquals(numbers(0, 5), read(0));
        spool(id).cut(5);
        assertTrue(done.isDone());
        KeptSpool read = (KeptSpool) spool(id);
        Spools.release(id);
        assertFalse(read.hasRowsLeft());
    }

    @Test
    void aReleaseEndsTheJobAndLeavesTheLog() throws Exception {
        open();
        feed(0, 3);
        complete(1);
        Spool released = spool(id);
        sink().end();
        Map<String, byte[]> last = prepared(2);
        sink().commit(2);
        CompletableFuture<Void> done = sink().taken();
        Spools.release(id);
        assertTrue(done.isDone());
        assertTrue(((KeptSpool) released).hasRowsLeft());
        assertThrows(SpoolException.class, () -> released.access().read(0, 0));
        sink.restart(last);
        assertEquals(numbers(0, 3), read(0));
    }

    @Test
    void rowsAtOnceAreNeverDroppedSoThatPlacesGoOn() throws Exception {
        atOnce = true;
        open();
        feed(0, 3);
        Map<String, byte[]> first = complete(1);
        feed(3, 5);
        try (SpoolRecords records = new SpoolRecords(spool(id).access(), "`rows`", 4)) {
            assertTrue(records.next(60_000));
        }
        sink.restart(first);
        assertEquals(5, spool(id).state().rows());
        feed(3, 6);
        complete(2);
        assertEquals(List.of(0, 1, 2, 3, 4, 3, 4, 5), read(0));
    }

    @Test
    void aFullSpoolWaitsForItsReaderButNotForRowsThatNobodySees() throws Exception {
        mostBytes = 1;
        open();
        feed(0, 100);
        complete(1);
        Thread writer = new Thread(() -> {
            try {
                feed(100, 101);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        while (writer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        spool(id).cut(100);
        writer.join();
        complete(2);
        assertEquals(List.of(100), read(100));
    }

    /** Of a program without a place of its own. */
    private void openWithCuts(AtomicReference<KeptSpool> own) throws Exception {
        sink = OperatorHarness.of(() -> new SpoolSink(instance -> {
            own.set(new KeptSpool("`rows`", mostBytes, () -> { }));
            return own.get();
        }, true)).inputs(NUMBER).keeping(folder).open();
    }

    @Test
    void whatIsPassedMakesRoomAndIsThereAgain() throws Exception {
        mostBytes = 1;
        AtomicReference<KeptSpool> own = new AtomicReference<>();
        openWithCuts(own);
        feed(0, 100);
        Map<String, byte[]> first = complete(1);
        own.get().passed(100);
        feed(100, 200_000);         // more than there is room for: nobody may see them
        complete(2);
        sink.restart(first);
        assertEquals(0, own.get().first());
        assertEquals(100, own.get().state().rows());
        Thread writer = new Thread(() -> {
            try {
                feed(100, 102);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        while (writer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        own.get().unbound();
        writer.join();
    }

    @Test
    void aCutOutlivesTheProcessThoughNoEpochHasIt() throws Exception {
        AtomicReference<KeptSpool> own = new AtomicReference<>();
        openWithCuts(own);
        feed(0, 10);
        Map<String, byte[]> first = complete(1);
        long empty = Files.size(folder.resolve("taken/1-0.seg"));
        own.get().cut(7);
        while (Files.size(folder.resolve("taken/1-0.seg")) == empty) {
            Thread.onSpinWait();
        }
        sink.restart(first);
        assertEquals(7, own.get().first());
        sink.restartAfresh();
        assertEquals(0, own.get().first());
    }

    @Test
    void anEpochOfAJobWhoseRowsNobodyKeptBeginsThemAnew() throws Exception {
        open();
        sink.restart(Map.of());
        feed(0, 3);
        complete(1);
        assertEquals(numbers(0, 3), read(0));
    }

    @Test
    void otherInstancesCannotGoOnWithTheNumbers() throws Exception {
        open();
        Map<String, byte[]> first = prepared(1);
        SnapshotException why = assertThrows(SnapshotException.class, () -> sink.restart(first, 2));
        assertEquals("rows of `tested` are numbered in 2 instances; their readers' places mean nothing at parallelism 1",
                why.getMessage());
    }

    @Test
    void aReaderThatKeepsItsPlaceHasEachRowOnce() throws Exception {
        for (int life = 0; life < LIVES; life++) {
            live(new Random(life), folder.resolve("" + life));
        }
    }

    private void live(Random random, Path own) throws Exception {
        try (OperatorHarness one = OperatorHarness.of(() -> new SpoolSink(instance -> Spools.keep(id, "`rows`",
                new Spool.Options(own, mostBytes, true, false)), true)).inputs(NUMBER).keeping(own).open()) {
            sink = one;
            List<Integer> seen = new ArrayList<>();
            Map<String, byte[]> last = complete(1);
            int made = 0;
            for (long epoch = 2; epoch < EPOCHS; epoch++) {
                int to = made + random.nextInt(20_000);
                feed(made, to);
                if (random.nextInt(3) == 0) {
                    if (random.nextBoolean()) {
                        prepared(epoch);
                    }
                    sink.restart(last);
                    sink().commit(epoch - 1);
                    feed(made, to);
                }
                made = to;
                last = complete(epoch);
                if (random.nextBoolean()) {
                    seen.addAll(read(seen.size()));
                    spool(id).cut(random.nextInt(seen.size() + 1));
                }
            }
            seen.addAll(read(seen.size()));
            assertEquals(numbers(0, made), seen);
        }
        sink = null;
    }
}
