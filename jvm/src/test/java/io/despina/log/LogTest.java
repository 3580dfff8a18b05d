package io.despina.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int MANY = 20_000;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final LogOptions OPTIONS = new LogOptions(1 << 30, 1 << 20, 1_000);

    private final TornDisk disk = new TornDisk();
    private final CrankedThreads threads = new CrankedThreads();
    private final List<String> warnings = new ArrayList<>();
    private int rooms;

    private final class Owner implements LogOwner {
        @Override
        public void room() {
            rooms++;
        }

        @Override
        public void warn(String words) {
            warnings.add(words);
        }
    }

    private Log open(int attempt, LogRange range) throws IOException {
        return open(attempt, range, OPTIONS);
    }

    private Log open(int attempt, LogRange range, LogOptions options) throws IOException {
        return Log.open(new LogPlace(disk, attempt, threads, "`in`"), options, range, new Owner());
    }

    private static void append(Log log, String... texts) throws IOException {
        for (String text : texts) {
            log.append(ByteBuffer.wrap(text.substring(0, 1).getBytes(StandardCharsets.UTF_8)),
                    ByteBuffer.wrap(text.substring(1).getBytes(StandardCharsets.UTF_8)), 1);
        }
    }

    private void appendDurably(Log log, String... texts) throws IOException {
        append(log, texts);
        var done = log.force();
        threads.runFor(SECOND);
        assertTrue(done.isDone() && !done.isCompletedExceptionally());
    }

    private static List<String> read(Log log, long from) throws IOException {
        List<String> found = new ArrayList<>();
        try (LogReader reader = log.reader(from)) {
            while (reader.next()) {
                found.add(reader.number() + " " + new String(reader.bytes(), reader.from(), reader.to() - reader.from(),
                        StandardCharsets.UTF_8));
            }
        }
        return found;
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Log log = open(1, LogRange.ALL);
        append(log, "one", "two");
        assertEquals(List.of(), read(log, 0));
        threads.runFor(SECOND);
        assertEquals(List.of("0 one", "1 two"), read(log, 0));
        assertEquals(2, log.durable());
        LogReader reader = log.reader(1);
        assertTrue(reader.next());
        assertFalse(reader.next());
        append(log, "three");
        threads.runFor(SECOND);
        assertTrue(reader.next());
        assertEquals(2, reader.number());
    }

    @Test
    void severalLogsMayBeGivenOneHeadAtOnce() throws Exception {
        ByteBuffer head = ByteBuffer.wrap(new byte[] {'h'});
        List<FutureTask<Log>> logs = new ArrayList<>();
        for (int k = 0; k < 2; k++) {
            CrankedThreads own = new CrankedThreads();
            Log log = Log.open(new LogPlace(new TornDisk(), 1, own, "`in`"), OPTIONS, LogRange.ALL, new Owner());
            FutureTask<Log> appends = new FutureTask<>(() -> {
                for (int n = 0; n < MANY; n++) {
                    log.append(head, NOTHING, 1);
                }
                own.runFor(SECOND);
                return log;
            });
            logs.add(appends);
            new Thread(appends).start();
        }
        List<String> written = LongStream.range(0, MANY).mapToObj(n -> n + " h").toList();
        for (FutureTask<Log> log : logs) {
            assertEquals(written, read(log.get(), 0));
        }
    }

    @Test
    void anotherAttemptGoesOn() throws IOException {
        Log log = open(1, LogRange.ALL);
        appendDurably(log, "one", "two");
        log.close();
        Log next = open(3, LogRange.from(1));
        assertEquals(2, next.next());
        append(next, "three");
        threads.runFor(SECOND);
        assertEquals(List.of("1 two", "2 three"), read(next, 1));
        assertEquals(List.of("1-0.seg", "3-1.seg", "3-2.seg", "3.open"), disk.names());
    }

    @Test
    void whatIsBehindTheEndOfTheRangeIsDropped() throws IOException {
        appendDurably(open(1, LogRange.ALL), "one", "two", "three");
        Log next = open(2, new LogRange(0, 1));
        appendDurably(next, "zwei");
        assertEquals(List.of("0 one", "1 zwei"), read(next, 0));
        assertEquals(List.of("0 one", "1 zwei"), read(open(3, LogRange.ALL), 0));
    }

    @Test
    void whatAZombieWritesCountsForNothing() throws IOException {
        Log zombie = open(1, LogRange.ALL);
        appendDurably(zombie, "one");
        append(zombie, "two");
        Log next = open(2, LogRange.ALL);
        assertEquals(1, next.next());
        appendDurably(next, "zwei");
        var done = zombie.force();
        threads.runFor(SECOND);
        assertTrue(done.isCompletedExceptionally());
        IOException why = assertThrows(IOException.class, () -> append(zombie, "three"));
        assertEquals("attempt 2 of the job has taken over the log of `in` from attempt 1", why.getMessage());
        assertEquals(List.of("0 one", "1 zwei"), read(open(3, LogRange.ALL), 0));
        assertThrows(FencedLogException.class, () -> open(2, LogRange.ALL));
    }

    @Test
    void aTornTailIsCutAtEveryByte() throws IOException {
        Log log = open(1, LogRange.ALL);
        appendDurably(log, "one");
        int durable = disk.content("1-0.seg").length;
        append(log, "two", "three");
        threads.runFor(SECOND);
        byte[] whole = disk.content("1-0.seg").clone();
        for (int length = durable; length <= whole.length; length++) {
            TornDisk torn = new TornDisk();
            torn.create("1-0.seg").write(0, ByteBuffer.wrap(whole, 0, length));
            Log next = Log.open(new LogPlace(torn, 2, threads, "`in`"), OPTIONS, LogRange.ALL, new Owner());
            List<String> all = List.of("0 one", "1 two", "2 three");
            assertEquals(all.subList(0, (int) next.next()), read(next, 0));
            assertTrue(next.next() >= 1 && (length < whole.length || next.next() == 3));
        }
    }

    @Test
    void aDamagedMiddleIsRotAtEveryByte() throws IOException {
        Log log = open(1, LogRange.ALL);
        appendDurably(log, "one", "two");
        int durable = disk.content("1-0.seg").length;
        appendDurably(log, "three");
        byte[] whole = disk.content("1-0.seg").clone();
        for (int at = 0; at < durable; at++) {
            TornDisk rotten = new TornDisk();
            byte[] damaged = whole.clone();
            damaged[at] ^= 4;
            rotten.create("1-0.seg").write(0, ByteBuffer.wrap(damaged));
            RottenLogException why = assertThrows(RottenLogException.class, () -> Log.open(new LogPlace(rotten, 2, threads,
                    "`in`"), OPTIONS, LogRange.ALL, new Owner()), "byte " + at);
            assertTrue(why.getMessage().contains("disk/1-0.seg was durable, and is not as it was written"), why.getMessage());
        }
    }

    @Test
    void whatTheJobKnowsToBeDurableMustBeThere() throws IOException {
        appendDurably(open(1, LogRange.ALL), "one", "two");
        RottenLogException shorter = assertThrows(RottenLogException.class, () -> open(2, new LogRange(0, 3)));
        assertEquals("record 2 at byte 86 of disk/1-0.seg was durable, and is not as it was written; records before 3 were",
                shorter.getMessage());
        Log next = open(3, LogRange.from(1), new LogOptions(1 << 30, 30, 1_000));
        appendDurably(next, "three");
        appendDurably(next, "four");
        disk.delete("1-0.seg");
        disk.delete("3-1.seg");
        RottenLogException gone = assertThrows(RottenLogException.class, () -> open(4, LogRange.from(1)));
        assertEquals("records 1 to 1 are missing before disk/3-2.seg", gone.getMessage());
    }

    @Test
    void aFolderThatIsGoneIsNoticedWhereItsRecordsAreNeeded() throws IOException {
        assertEquals(5, open(1, new LogRange(5, 5)).next());
        RottenLogException gone = assertThrows(RottenLogException.class, () -> Log.open(new LogPlace(new TornDisk(), 2, threads,
                "`in`"), OPTIONS, new LogRange(5, 8), new Owner()));
        assertEquals("records 5 to 7 are missing in disk/", gone.getMessage());
    }

    @Test
    void aPlaceBehindTheEndIsWhereItGoesOn() throws IOException {
        appendDurably(open(1, LogRange.ALL), "one");
        Log next = open(2, LogRange.from(5));
        appendDurably(next, "six");
        assertEquals(List.of("5 six"), read(next, 5));
        assertEquals(List.of("5 six"), read(open(3, LogRange.from(5)), 5));
    }

    @Test
    void aCutGivesSegmentsBack() throws IOException {
        Log log = open(1, LogRange.ALL, new LogOptions(100, 40, 1_000));
        append(log, "one", "two", "three", "four");
        assertEquals(Log.FULL, log.append(NOTHING, NOTHING, 1));
        threads.runFor(SECOND);
        assertEquals(Log.FULL, log.append(NOTHING, NOTHING, 1));
        assertEquals(List.of("1-0.seg", "1-2.seg", "1.open"), disk.names());
        log.cut(2);
        threads.runFor(SECOND);
        assertTrue(rooms > 0);
        assertEquals(List.of("1-2.seg", "1.open"), disk.names());
        assertEquals(4, log.append(NOTHING, NOTHING, 1));
        assertEquals("item 1 of the log of `in` is gone: it has been cut",
                assertThrows(IOException.class, () -> log.reader(1).next()).getMessage());
        Log next = open(2, LogRange.ALL);
        assertEquals(2, next.first());
        assertEquals(List.of("2 three", "3 four"), read(next, next.first()).subList(0, 2));
        assertEquals(List.of("3 four"), read(open(3, LogRange.from(3)), 3).subList(0, 1));
    }

    @Test
    void buffersAreBoundedAndLargeRecordsGoOneByOne() throws IOException {
        Log log = open(1, LogRange.ALL);
        byte[] large = new byte[LogBuffers.BYTES + 1];
        large[large.length - 1] = 7;
        assertEquals(0, log.append(NOTHING, ByteBuffer.wrap(large), 3));
        assertEquals(Log.FULL, log.append(NOTHING, ByteBuffer.wrap(large), 1));
        for (int k = 0; k < 4; k++) {
            assertEquals(3 + k, log.append(NOTHING, ByteBuffer.allocate(LogBuffers.BYTES / 2), 1));
        }
        while (log.append(NOTHING, ByteBuffer.allocate(LogBuffers.BYTES / 2), 1) != Log.FULL) {
            assertTrue(log.next() < 10);
        }
        long next = log.next();
        threads.runFor(SECOND);
        assertTrue(rooms > 0);
        assertEquals(next, log.append(NOTHING, ByteBuffer.wrap(large), 1));
        threads.runFor(SECOND);
        LogReader reader = log.reader(1);
        assertTrue(reader.next());
        assertEquals(3, reader.items());
        assertEquals(7, reader.bytes()[reader.to() - 1]);
        assertEquals(large.length, reader.to() - reader.from());
    }

    @Test
    void oneForceServesAllThatWait() throws IOException {
        Log log = open(1, LogRange.ALL);
        int before = disk.forces;
        List<String> done = new ArrayList<>();
        for (int k = 0; k < 100; k++) {
            append(log, "row");
            int number = k;
            log.whenDurable(log.next(), failure -> done.add(number + ":" + failure));
        }
        assertEquals(List.of(), done);
        threads.runFor(1_000);
        assertEquals(before + 1, disk.forces);
        assertEquals(100, done.size());
        assertEquals("99:null", done.get(99));
    }

    @Test
    void aFullDiskIsTriedAgain() throws IOException {
        Log log = open(1, LogRange.ALL);
        disk.room = 40;
        append(log, "one", "two");
        var done = log.force();
        threads.runFor(3 * SECOND);
        assertFalse(done.isDone());
        assertEquals(List.of("cannot write the log of `in`: No space left on device; trying again"), warnings);
        disk.room = Long.MAX_VALUE;
        threads.runFor(3 * SECOND);
        assertNull(done.join());
        assertEquals(List.of("0 one", "1 two"), read(log, 0));
    }

    @Test
    void whatCannotBeForcedIsNeverSaidToBeDurable() throws IOException {
        Log log = open(1, LogRange.ALL);
        append(log, "one");
        disk.failsToForce = true;
        var done = log.force();
        threads.runFor(SECOND);
        assertTrue(done.isCompletedExceptionally());
        disk.failsToForce = false;
        IOException why = assertThrows(IOException.class, () -> append(log, "two"));
        assertEquals("cannot make the log of `in` durable: Input/output error", why.getMessage());
        assertEquals(0, log.durable());
    }

    /** The system still shows what it could not write, and does not try to write it again. */
    @Test
    void whatCouldNotBeForcedIsWrittenAgainByTheNextAttempt() throws IOException {
        Log log = open(1, LogRange.ALL);
        appendDurably(log, "one", "two");
        append(log, "three", "four");
        disk.failsToForce = true;
        log.force();
        threads.runFor(SECOND);
        disk.failsToForce = false;
        Log next = open(2, LogRange.ALL);
        assertEquals(List.of("0 one", "1 two", "2 three", "3 four"), read(next, 0));
        appendDurably(next, "five");
        disk.losePower(new Random(1));
        assertEquals(List.of("0 one", "1 two", "2 three", "3 four", "4 five"), read(open(3, LogRange.ALL), 0));
    }

    @Test
    void whatIsWrittenAgainBeginsWithAWholeRecord() throws IOException {
        Log log = open(1, LogRange.ALL);
        log.append(NOTHING, ByteBuffer.wrap(new byte[] {'a'}), 3);
        log.append(NOTHING, ByteBuffer.wrap(new byte[] {'b'}), 3);
        threads.runFor(SECOND);
        Log next = open(2, LogRange.from(4));
        assertEquals(6, next.next());
        assertEquals(List.of("3 b"), read(next, 4));
        assertTrue(disk.names().contains("2-3.seg"), disk.names().toString());
    }

    @Test
    void anErrorEndsTheLogAndIsSaid() throws IOException {
        Log log = open(1, LogRange.ALL);
        append(log, "one");
        disk.outOfMemory = true;
        List<String> told = new ArrayList<>();
        log.whenDurable(log.next(), failure -> told.add(failure.getMessage()));
        threads.runFor(SECOND);
        String words = "cannot write the log of `in`: java.lang.OutOfMemoryError: Direct buffer memory";
        assertEquals(List.of(words), told);
        assertEquals(1, rooms);
        assertEquals(words, assertThrows(IOException.class, () -> append(log, "two")).getMessage());
    }

    @Test
    void segmentsAreFilesOfAFolder(@TempDir Path folder) throws IOException {
        Path place = folder.resolve("a/b");
        try (Log log = Log.open(LogPlace.of(place, 1, "`in`"), OPTIONS, LogRange.ALL, new Owner())) {
            append(log, "one", "two");
            log.force().join();
            assertEquals(List.of("0 one", "1 two"), read(log, 0));
        }
        try (Log log = Log.open(LogPlace.of(place, 2, "`in`"), OPTIONS, LogRange.from(1), new Owner())) {
            append(log, "three");
            log.force().join();
            assertEquals(List.of("1 two", "2 three"), read(log, 1));
        }
    }
}
