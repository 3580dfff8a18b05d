package io.despina.operator.source.file;

import static io.despina.operator.Rows.row;
import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.despina.expr.RecordParser;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Source;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergedFilesTest {
    private static final long MS = 1_000_000;
    private static final Schema TIMED = Schema.of(new Column("ts", Simple.TIMESTAMP, true), new Column("n", Simple.INT, true));
    private static final Reading ONCE = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1);

    @TempDir
    Path folder;

    private Reading reading = ONCE;
    private EventTime eventTime = new EventTime(0, List.of(), 0, NEVER);
    private Map<String, String> options = Map.of();

    /** Each pair is a time in milliseconds and a number; a time of -1 is NULL. */
    private Path write(String name, long... pairs) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < pairs.length; k += 2) {
            text.append(pairs[k] < 0 ? "" : Instant.ofEpochMilli(pairs[k])).append(',').append(pairs[k + 1]).append('\n');
        }
        return Files.writeString(folder.resolve(name), text);
    }

    private OperatorHarness.Setup setup() {
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.CSV, options, TIMED, 0, false, Set.of(), "UTC",
                true);
        FileSourceOptions all = new FileSourceOptions(folder.toString(), records, reading, eventTime,
                any -> (line, from, to, out) -> {
                    String text = new String(line, from, to - from, StandardCharsets.UTF_8);
                    return new RecordParser.Refusal("asked: " + text, text, 1);
                });
        return OperatorHarness.of(() -> new FileSource(all)).outputs(TIMED);
    }

    private OperatorHarness read() throws Exception {
        try (OperatorHarness source = setup().open()) {
            return source.produceAll();
        }
    }

    private static List<Integer> numbers(OperatorHarness source) {
        return source.rows(0).stream().map(row -> (Integer) row.get(1)).toList();
    }

    private static void assertNothingLate(OperatorHarness source) {
        assertEquals(List.of(), source.events(0).stream().filter(Event::exact).toList());
    }

    @Test
    void filesOfTheSameTimeAreMergedAndNothingIsLate() throws Exception {
        write("a.csv", 1000, 1, 4000, 4, 7000, 7);
        write("b.csv", 2000, 2, 4000, 5, 8000, 8);
        write("c.csv", 3000, 3, 6000, 6);
        OperatorHarness source = read();
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8), numbers(source));
        assertNothingLate(source);
    }

    @Test
    void aPacketIsLateOnlyBehindItsOwnFile() throws Exception {
        eventTime = new EventTime(0, List.of(), 1_000_000, NEVER);
        write("a.csv", 10_000, 1, 9500, 2, 8500, 3, 30_000, 4);
        write("b.csv", 9800, 5, 9000, 6, 20_000, 7);
        OperatorHarness source = read();
        assertEquals(List.of(5, 6, 1, 2, 3, 7, 4), numbers(source));
        assertEquals(List.of(Event.watermark(9_000_000, true)), source.events(0).stream().filter(Event::exact).toList());
    }

    @Test
    void headersEmptyFilesAndNullTimesAreNothingSpecial() throws Exception {
        options = Map.of("header", "true");
        Files.writeString(folder.resolve("a.csv"), "");
        Files.writeString(folder.resolve("b.csv"), "ts,n\n");
        Files.writeString(folder.resolve("c.csv"), "ts,n\n,1\n,2\n1970-01-01T00:00:02Z,4\n,5\n1970-01-01T00:00:04Z,7\n");
        Files.writeString(folder.resolve("d.csv"), "ts,n\n1970-01-01T00:00:01Z,3\n1970-01-01T00:00:03Z,6\n");
        Files.writeString(folder.resolve("e.csv"), "ts,n\n,8\n");
        assertEquals(List.of(1, 2, 8, 3, 4, 5, 6, 7), numbers(read()));
    }

    @Test
    void withoutAnEventTimeFilesAreReadInPathOrder() throws Exception {
        eventTime = null;
        write("a.csv", 5000, 1, 6000, 2);
        write("b.csv", 1000, 3);
        assertEquals(List.of(1, 2, 3), numbers(read()));
    }

    @Test
    void howeverPacketsAreDealtNoneIsLateAndAllComeInOrder() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            long delay = random.nextBoolean() ? 0 : random.nextInt(5000);
            eventTime = new EventTime(0, List.of(), 1000 * delay, NEVER);
            reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, random.nextInt(3) == 0, 1);
            List<long[]> packets = dealt(random, delay);
            try (OperatorHarness source = setup().room(32 << random.nextInt(6), 1 + random.nextInt(3)).open()) {
                source.produceAll();
                assertNothingLate(source);
                List<List<Object>> sorted = packets.stream().map(p -> row(1000 * p[0], (int) p[1])).sorted(order()).toList();
                List<List<Object>> rows = source.rows(0);
                assertEquals(sorted, rows.stream().sorted(order()).toList(), "seed " + seed);
                if (delay == 0) {
                    assertEquals(sorted.stream().map(row -> row.get(0)).toList(), rows.stream().map(row -> row.get(0)).toList());
                }
            }
        }
    }

    private static Comparator<List<Object>> order() {
        return Comparator.<List<Object>>comparingLong(row -> (Long) row.get(0)).thenComparingInt(row -> (Integer) row.get(1));
    }

    /** Packets at random times in files of the folder, in runs or one by one, each file out of order by at most the delay. */
    private List<long[]> dealt(Random random, long delay) throws IOException {
        try (Stream<Path> old = Files.list(folder)) {
            for (Path path : old.toList()) {
                Files.delete(path);
            }
        }
        List<List<long[]>> files = new ArrayList<>();
        for (int k = random.nextInt(6); k >= 0; k--) {
            files.add(new ArrayList<>());
        }
        List<long[]> all = new ArrayList<>();
        int runs = random.nextBoolean() ? 1 : 30;
        int file = 0;
        long time = 0;
        for (int k = random.nextInt(200); k > 0; k--) {
            file = random.nextInt(runs) == 0 ? random.nextInt(files.size()) : file;
            time += random.nextInt(1000);
            long[] packet = {time, all.size(), delay == 0 ? time : time + random.nextLong(delay + 1)};
            files.get(file).add(packet);
            all.add(packet);
        }
        for (int k = 0; k < files.size(); k++) {
            files.get(k).sort(Comparator.comparingLong(packet -> packet[2]));       // by when each comes, with its delay
            write(k + ".csv", files.get(k).stream().flatMapToLong(p -> LongStream.of(p[0], p[1])).toArray());
        }
        return all;
    }

    @Test
    void asManyFilesAreOpenAsOverlap() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no /proc here");
        for (int k = 0; k < 200; k++) {
            write("%03d.csv".formatted(k), 1000L * k, 2 * k, 1000L * k + 999, 2 * k + 1);
        }
        write("long.csv", 50_500, 1000, 60_500, 1001);
        try (OperatorHarness source = setup().room(16, 1).open()) {
            int most = 0;
            while (source.produce() != Source.ENDED) {
                most = Math.max(most, openFiles());
            }
            assertEquals(402, source.rows(0).size());
            assertNothingLate(source);
            assertTrue(most == 2, most + " files were open");
        }
    }

    private int openFiles() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return (int) open.filter(this::isOurs).count();
        }
    }

    private boolean isOurs(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(folder);
        } catch (IOException closedSince) {
            return false;
        }
    }

    @Test
    void manyFilesAtOnceTakeLittleMemory() throws Exception {
        int files = 300;
        for (int k = 0; k < files; k++) {
            write(k + ".csv", k, k, 1000 + k, files + k);
        }
        try (OperatorHarness source = setup().room(4096, 1).open()) {
            long most = 0;
            for (long next = 0; next != Source.ENDED;) {
                next = source.produce();
                most = Math.max(most, source.stateBytes);
            }
            assertEquals(IntStream.range(0, 2 * files).boxed().toList(), numbers(source));
            assertTrue(most > 300 * (1 << 13) && most < 24 << 20, most + " bytes");
            assertEquals(0, source.stateBytes);
        }
    }

    @Test
    void stoppedAnywhereItGoesOnAndTellsBadRecordsOnce() throws Exception {
        options = Map.of("header", "true");
        Files.writeString(folder.resolve("a.csv"), "ts,n\nbad,0\n,1\n1970-01-01T00:00:02Z,2\nbad,3\n1970-01-01T00:00:05Z,4\n");
        Files.writeString(folder.resolve("b.csv"), "ts,n\n1970-01-01T00:00:01Z,5\n"
                + "1970-01-01T00:00:03Z,6\n1970-01-01T00:00:03Z,7\n");
        Files.writeString(folder.resolve("c.csv"), "ts,n\nbad,8\n1970-01-01T00:00:09Z,9\n");
        for (boolean preload : new boolean[] {false, true}) {
            reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, preload, 2);
            for (int calls = 0; calls < 40; calls++) {
                try (OperatorHarness source = setup().skippingBadRecords().room(1, 1).open()) {
                    for (int k = 0; k < calls && source.produce() != Source.ENDED; k++) {
                        continue;
                    }
                    source.restart().restart().produceAll();
                    assertEquals(List.of(1, 5, 2, 6, 7, 4, 9, 1, 5, 2, 6, 7, 4, 9), numbers(source), "after " + calls);
                    if (!preload) {
                        assertEquals(6, source.badRecords.size(), "after " + calls + ": " + source.badRecords);
                    }
                }
            }
        }
    }

    @Test
    void aPositionKnowsEachFileAndWhatHasComeSinceIsRead() throws Exception {
        for (EventTime time : new EventTime[] {null, eventTime}) {
            eventTime = time;
            Files.deleteIfExists(folder.resolve("1 new\n.csv"));
            write("2 one\n.csv", 1000, 1, 2000, 2);
            write("3.csv", 3000, 3, 4000, 4);
            try (OperatorHarness source = setup().room(1, 1).open()) {
                while (source.rows(0).size() < 3) {
                    source.produce();
                }
                write("1 new\n.csv", 5000, 5);
                source.restart().produceAll();
                assertEquals(List.of(1, 2, 3, 4, 5), numbers(source).stream().sorted().toList());
            }
        }
    }

    @Test
    void aFileThatIsDoneMayGoAndOneThatIsNotMayNot() throws Exception {
        Path done = write("a.csv", 1000, 1);
        Path begun = write("b.csv", 3000, 3, 4000, 4, 5000, 5);
        try (OperatorHarness source = setup().room(1, 1).open()) {
            while (source.rows(0).size() < 2) {
                source.produce();
            }
            Files.delete(done);
            source.restart();
            Files.delete(begun);
            String failure = assertThrows(IOException.class, () -> source.restart()).getMessage();
            assertTrue(failure.startsWith("no "), failure);
        }
    }

    @Test
    void preloadKeepsTheFilesItBeganWith() throws Exception {
        reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, true, 2);
        write("b.csv", 1000, 1, 2000, 2);
        try (OperatorHarness source = setup().room(1, 1).open()) {
            while (source.rows(0).isEmpty()) {
                source.produce();
            }
            write("a.csv", 500, 0);
            assertEquals(List.of(1, 2, 1, 2), numbers(source.restart().produceAll()));
        }
    }

    @Test
    void replayGoesByEventTimeAcrossFiles() throws Exception {
        write("a.csv", 5000, 1, 7000, 3);
        write("b.csv", 6000, 2, 8000, 4);
        for (boolean preload : new boolean[] {false, true}) {
            reading = new Reading(Follow.NO, new Replay(2), preload, 2);
            OperatorHarness source = read();
            assertEquals(List.of(1, 2, 3, 4, 1, 2, 3, 4), numbers(source));
            assertEquals(List.of(0L, 500 * MS, 1000 * MS, 1500 * MS, 1500 * MS, 2000 * MS, 2500 * MS, 3000 * MS), source.dues(0));
        }
    }
}
