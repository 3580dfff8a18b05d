package io.despina.spool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {
    private static final int LEAST_FILE = 1 << 18;

    @TempDir
    private Path folder;
    private Spool spool;

    @BeforeEach
    void open() {
        spool = new FileSpool("`alarms`", new Spool.Options(folder, Long.MAX_VALUE, false, false));
    }

    @AfterEach
    void release() throws IOException {
        spool.release();
    }

    /** Rows are single bytes here: row n is {@code (byte) n}. */
    private static void append(Spool to, int rows) throws IOException, InterruptedException {
        byte[] record = new byte[SpoolRecord.HEADER_BYTES + rows];
        for (int k = 0; k < rows; k++) {
            record[SpoolRecord.HEADER_BYTES + k] = (byte) (to.state().rows() + k);
        }
        to.append(record, record.length, rows);
    }

    private void append(int... records) throws IOException, InterruptedException {
        for (int rows : records) {
            append(spool, rows);
        }
    }

    /** All rows from there on, checked one by one. */
    private long readFrom(long row) throws IOException {
        long next = row;
        try (SpoolRecords records = new SpoolRecords(spool.access(), spool.name(), row)) {
            while (records.next(0)) {
                assertTrue(records.first() <= next && next < records.first() + records.rows(), "row " + next);
                assertEquals(records.rows(), records.to() - records.from());
                for (int k = 0; k < records.rows(); k++) {
                    assertEquals((byte) (records.first() + k), records.bytes()[records.from() + k]);
                }
                next = records.first() + records.rows();
            }
        }
        return next;
    }

    @Test
    void rowsComeOutAsTheyWentInFromAnyRowOn() throws Exception {
        append(1, 5, 100_000, 3, 200_000, 70_000, 1);
        for (long row : new long[] {0, 1, 2, 5, 6, 7, 100_005, 100_006, 100_008, 100_009, 299_999, 370_008, 370_009}) {
            assertEquals(370_010, readFrom(row), "from " + row);
        }
        assertEquals(new SpoolState(0, 370_010, 370_010, false), spool.state());
    }

    @Test
    void readsAcrossManyFilesAndSizesAtRandom() throws Exception {
        spool = new FileSpool("`alarms`", new Spool.Options(folder, 1 << 30, false, false));
        Random random = new Random(7);
        long rows = 0;
        for (int k = 0; k < 300; k++) {
            int size = random.nextInt(10) == 0 ? 1 + random.nextInt(2 << 20) : 1 + random.nextInt(5_000);
            append(size);
            rows += size;
        }
        assertEquals(rows, readFrom(0));
        for (int k = 0; k < 50; k++) {
            assertEquals(rows, readFrom((long) (random.nextDouble() * rows)));
        }
    }

    @Test
    void aReaderGoesOnWhereItWasWhenMoreHasCome() throws Exception {
        append(3);
        try (SpoolRecords records = new SpoolRecords(spool.access(), "s", 0)) {
            assertTrue(records.next(0));
            assertFalse(records.next(0));
            assertFalse(records.isAtEnd());
            append(4);
            assertTrue(records.next(0));
            assertEquals(3, records.first());
            spool.end();
            assertFalse(records.next(0));
            assertTrue(records.isAtEnd());
        }
    }

    @Test
    void aReaderThatWaitsIsWokenByRows() throws Exception {
        CompletableFuture<Long> woken = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try (SpoolRecords records = new SpoolRecords(spool.access(), "s", 0)) {
                records.next(60_000);
                woken.complete(records.first() + records.rows());
            } catch (IOException e) {
                woken.completeExceptionally(e);
            }
        });
        reader.start();
        awaitWaiting(reader);
        append(2);
        assertEquals(2, woken.get());
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatIsCutIsGoneByName() throws Exception {
        append(10, 10);
        spool.cut(15);
        assertEquals(20, readFrom(15));
        SpoolException gone = assertThrows(SpoolException.class, () -> readFrom(14));
        assertEquals("row 14 of `alarms` is gone: rows before 15 have been committed", gone.getMessage());
        spool.cut(3);
        assertEquals(15, spool.state().first());
    }

    @Test
    void aFullSpoolHoldsUpItsWriterUntilRowsAreCut() throws Exception {
        spool = new FileSpool("`alarms`", new Spool.Options(folder, 2 * LEAST_FILE, false, false));
        append(LEAST_FILE, LEAST_FILE);
        Thread writer = new Thread(() -> {
            try {
                append(1);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        awaitWaiting(writer);
        assertEquals(2 * LEAST_FILE, spool.state().rows());
        spool.cut(LEAST_FILE);
        writer.join();
        assertEquals(2 * LEAST_FILE + 1, spool.state().rows());
        assertEquals(2 * LEAST_FILE + 1, readFrom(LEAST_FILE));
    }

    @Test
    void aSpoolThatIsFullOfCommittedRowsTakesMore() throws Exception {
        spool = new FileSpool("`alarms`", new Spool.Options(folder, 10, false, false));
        for (int k = 0; k < 100; k++) {
            append(20);
            spool.cut(spool.state().rows());
        }
        assertEquals(2000, readFrom(2000));
    }

    /** A reader keeps it until it knows whether there are more. */
    @Test
    void oneRowThatIsLeftHoldsNobodyUp() throws Exception {
        spool = new FileSpool("`alarms`", new Spool.Options(folder, 10, false, false));
        for (int k = 0; k < 100; k++) {
            append(20);
            spool.cut(spool.state().rows() - 1);
        }
        assertEquals(2000, readFrom(1999));
    }

    @Test
    void onlyWhatIsNotCutTakesRoomOnDisk() throws Exception {
        spool = new FileSpool("`alarms`", new Spool.Options(folder, 8L * LEAST_FILE, false, false));
        for (int k = 0; k < 40; k++) {
            append(LEAST_FILE);
            spool.cut(spool.state().rows() - LEAST_FILE);
        }
        assertEquals(40L * LEAST_FILE, readFrom(39L * LEAST_FILE));
    }

    @Test
    void nothingHasANameThatACrashCouldLeaveBehind() throws Exception {
        append(10);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
        assertEquals(10, readFrom(0));
    }

    @Test
    void itMayBeReleasedByTheCutThatTakesItsLastRow() throws Exception {
        spool = new FileSpool("`alarms`", new Spool.Options(folder, Long.MAX_VALUE, true, false));
        append(10);
        spool.cut(10);
        spool.end();
        spool.awaitRelease();
        assertEquals(10, spool.state().rows());
    }

    @Test
    void aReleasedSpoolDropsRowsAndSaysSo() throws Exception {
        append(10);
        spool.release();
        append(10);
        SpoolException gone = assertThrows(SpoolException.class, () -> readFrom(0));
        assertEquals("the rows of `alarms` are gone: the job has been stopped", gone.getMessage());
        spool.awaitRelease();
    }

    @Test
    void rowsOfAFailedJobAreReadBeforeItsReason() throws Exception {
        append(10);
        spool.fail("the job has failed: why");
        List<Long> read = new ArrayList<>();
        try (SpoolRecords records = new SpoolRecords(spool.access(), "s", 0)) {
            assertTrue(records.next(0));
            read.add(records.first());
            SpoolException why = assertThrows(SpoolException.class, () -> records.next(60_000));
            assertEquals("the job has failed: why", why.getMessage());
        }
        assertEquals(List.of(0L), read);
    }

    @Test
    void aRecordThatIsNotAsItWasWrittenIsRefusedByName() throws Exception {
        append(100);
        Chunk sound = spool.access().read(0, 0);
        for (int at = 0; at < sound.length(); at++) {
            byte[] bytes = Arrays.copyOf(sound.bytes(), sound.length());
            bytes[at] ^= 4;
            SpoolRecords records = new SpoolRecords(only(new Chunk(bytes, bytes.length, false)), "`alarms`", 0);
            SpoolException refused = assertThrows(SpoolException.class, () -> records.next(0), "byte " + at);
            assertEquals("the record of `alarms` with row 0 is not as it was written: its checksum or its length is wrong",
                    refused.getMessage());
        }
    }

    @Test
    void halfARecordIsNoRecord() throws Exception {
        append(100);
        byte[] bytes = spool.access().read(0, 0).bytes();
        for (int length = 1; length < 100 + SpoolRecord.HEADER_BYTES; length++) {
            SpoolRecords records = new SpoolRecords(only(new Chunk(bytes, length, false)), "s", 0);
            assertThrows(SpoolException.class, () -> records.next(0), "of " + length);
        }
    }

    private static SpoolAccess only(Chunk chunk) {
        return new SpoolAccess() {
            @Override
            public Chunk read(long row, long millis) {
                return chunk;
            }

            @Override
            public void close() {
            }
        };
    }

    @Test
    void aNumberOfBytesEndsAtARecord() throws Exception {
        for (int k = 0; k < 100; k++) {
            append(10_000);
        }
        assertEquals(1_000_000, spool.rowBehind(0, 2_000_000));
        long half = spool.rowBehind(0, 500_000);
        assertTrue(half >= 500_000 && half < 600_000, half + "");
        assertEquals(0, half % 10_000);
        assertTrue(spool.rowBehind(half, 1) > half);
        assertEquals(1_000_000, spool.rowBehind(1_000_000, 1));
        assertArrayEquals(new byte[] {(byte) half}, new byte[] {spool.access().read(half, 0).bytes()[SpoolRecord.HEADER_BYTES]});
    }
}
