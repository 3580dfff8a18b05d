package io.despina.operator.sink.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Sink;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The files of a job that takes snapshots: they go on over epochs, and outlive attempts that are killed or only stopped. */
class KeptFilesTest {
    private static final Schema ROWS = Schema.of(new Column("n", Simple.INT, false));

    @TempDir
    Path folder;

    private final List<Attempt> zombies = new ArrayList<>();
    /** On this machine. */
    private Path out;
    /** The same for the sink: perhaps by one of Hadoop's file systems. */
    private Path place;
    private FileSinkOptions.Roll roll = FileSinkOptions.Roll.NEVER;
    private FileFormat kind = FileFormat.CSV;
    private Map<String, String> format = Map.of();
    /** Whether all sinks had committed the epoch that is restored next. */
    private boolean committed;

    /** What a manifest has. */
    private record Kept(long epoch, int rows, List<Long> prepared, List<Sections> states) {
    }

    /** The instances of one attempt, with a disk that works when it is told to. */
    private final class Attempt {
        final Queue<Runnable> disk = new ArrayDeque<>();
        final List<OperatorHarness> instances = new ArrayList<>();
        final ArrayDeque<Long> prepared = new ArrayDeque<>();
        int rows;
        /** The last that is complete. */
        long complete;
        boolean dead;

        Attempt(int number, int parallelism, Kept from) throws Exception {
            for (int k = 0; k < parallelism; k++) {
                OperatorHarness.Setup setup = OperatorHarness.of(this::sink).inputs(ROWS).instance(k, parallelism)
                        .attempt(number);
                setup = committed ? setup.committed() : setup;
                OperatorHarness one = from == null ? setup.open() : setup.restored().open();
                if (from != null) {
                    new Share(k, parallelism, 256).restore(one.operator().states(), from.states());
                    one.operator().restored();
                }
                instances.add(one);
            }
            if (from != null) {
                rows = from.rows();
                prepared.addAll(from.prepared());
                commit(from.epoch());
            }
        }

        private FileSink sink() {
            return new FileSink(new FileSinkOptions(new FileSinkOptions.Place(place, false, false, "job"),
                    new FileSinkOptions.Roll(roll.everyNanos(), roll.bytes(), disk::add),
                    new RecordFormat.Write(kind, format, "UTC", true), options -> {
                        assertEquals(FileFormat.XML, kind, "numbers need no formatter of Spark's");
                        return Expressions.formatter(options);
                    }));
        }

        Sink sink(int k) {
            return (Sink) instances.get(k).operator();
        }

        void feed(int count) throws Exception {
            for (int n = 0; n < count; n++) {
                instances.get(rows % instances.size()).feedRow(0, rows);
                rows++;
            }
        }

        CompletableFuture<Void> prepare(long epoch) throws Exception {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int k = 0; k < instances.size(); k++) {
                all.add(sink(k).prepare(epoch));
            }
            prepared.add(epoch);
            return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
        }

        Kept snapshot(long epoch) throws Exception {
            List<Sections> states = new ArrayList<>();
            for (OperatorHarness each : instances) {
                states.add(Snapshots.sections(each.snapshot()));
            }
            return new Kept(epoch, rows, List.copyOf(prepared), states);
        }

        /** All that are prepared, up to one. */
        void commit(long epoch) throws Exception {
            while (!prepared.isEmpty() && prepared.peek() <= epoch) {
                for (int k = 0; k < instances.size(); k++) {
                    CompletableFuture<Void> done = sink(k).commit(prepared.peek());
                    work();
                    OperatorHarness.done(done);
                }
                prepared.remove();
            }
        }

        void work() {
            while (!disk.isEmpty()) {
                disk.remove().run();
            }
        }

        void close() throws IOException {
            work();
            for (OperatorHarness each : instances) {
                each.close();
            }
        }

        /** All have ended: the last epoch. */
        void finish(long epoch) throws Exception {
            for (OperatorHarness each : instances) {
                each.end();
                ((Sink) each.operator()).finish();
            }
            CompletableFuture<Void> done = prepare(epoch);
            work();
            OperatorHarness.done(done);
            commit(epoch);
            for (int k = 0; k < instances.size(); k++) {
                sink(k).succeed();
            }
            close();
        }

        /** It was stopped for a while, wakes, and goes on with what it has. */
        void wake(long epoch) {
            if (dead) {
                return;
            }
            try {
                feed(3);
                prepare(epoch);
                work();
                commit(complete);
                for (OperatorHarness each : instances) {
                    ((Sink) each.operator()).finish();
                }
                prepare(epoch + 1);
                work();
            } catch (Exception fails) {
                dead = true;        // as it must, when its files are gone
            }
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(out)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> !name.endsWith(".crc")).sorted().toList();
        }
    }

    private static List<String> lines(Path file) throws IOException {
        if (file.toString().endsWith(".avro")) {
            List<String> rows = new ArrayList<>();
            try (DataFileReader<GenericRecord> reader = new DataFileReader<>(file.toFile(), new GenericDatumReader<>())) {
                reader.forEach(record -> rows.add(record.get("n").toString()));
            }
            return rows;
        }
        try (InputStream packed = Files.newInputStream(file);
                InputStream text = file.toString().endsWith(".gz") ? FileCodec.GZIP.unpacked(packed, 1 << 12) : packed) {
            return file.toString().contains(".xml") ? elements(text)
                    : new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static List<String> elements(InputStream document) throws IOException {
        try {
            NodeList found = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(document).getDocumentElement()
                    .getElementsByTagName("n");
            return IntStream.range(0, found.getLength()).mapToObj(k -> found.item(k).getTextContent()).toList();
        } catch (ParserConfigurationException | SAXException none) {
            throw new IOException(none);
        }
    }

    private List<Integer> shown() throws IOException {
        List<Integer> rows = new ArrayList<>();
        for (String name : names()) {
            if (name.startsWith("part-")) {
                lines(out.resolve(name)).forEach(line -> rows.add(Integer.parseInt(line)));
            }
        }
        return rows.stream().sorted().toList();
    }

    private static List<Integer> numbers(int to) {
        return IntStream.range(0, to).boxed().toList();
    }

    private void to(String name) {
        out = folder.resolve(name);
        place = out;
    }

    private void toHadoop(String name) {
        format = Map.of("fs.viewfs.mounttable.here.link./data", folder.toUri().toString());
        out = folder.resolve(name);
        place = Path.of("viewfs://here/data/" + name);
    }

    private Attempt first() throws Exception {
        to("out");
        return new Attempt(1, 1, null);
    }

    private Kept epoch(Attempt attempt, long epoch) throws Exception {
        CompletableFuture<Void> prepared = attempt.prepare(epoch);
        Kept kept = attempt.snapshot(epoch);
        attempt.work();
        OperatorHarness.done(prepared);
        return kept;
    }

    @Test
    void aFileGoesOnOverEpochs() throws Exception {
        Attempt first = first();
        for (int epoch = 1; epoch <= 5; epoch++) {
            first.feed(4);
            epoch(first, epoch);
            first.commit(epoch);
            assertEquals(List.of(), shown());
        }
        first.finish(6);
        assertEquals(numbers(20), shown());
        assertEquals(List.of("_SUCCESS", "part-00000-00006.csv"), names());
    }

    @Test
    void aFileEndsWithTheEpochThatFindsItFull() throws Exception {
        roll = new FileSinkOptions.Roll(0, 10, Runnable::run);
        Attempt first = first();
        first.feed(4);
        epoch(first, 1);
        first.feed(2);
        epoch(first, 2);
        first.commit(1);
        assertEquals(List.of(), shown());
        first.commit(2);
        assertEquals(List.of("part-00000-00002.csv"), names().stream().filter(name -> name.startsWith("part")).toList());
        first.finish(3);
        assertEquals(numbers(6), shown());
    }

    @Test
    void anEpochShowsRowsWhereAFileEnds() throws Exception {
        Attempt first = first();
        epoch(first, 1);
        assertFalse(first.sink(0).shows(1), "there are none");
        first.feed(4);
        epoch(first, 2);
        assertFalse(first.sink(0).shows(2), "its file goes on");
        first.sink(0).prepareWhole(3);
        assertFalse(first.sink(0).shows(2));
        assertTrue(first.sink(0).shows(3));
        first.work();
        first.close();
    }

    @Test
    void theDiskWorksOnAnotherThread() throws Exception {
        Attempt first = first();
        first.feed(4);
        CompletableFuture<Void> held = first.sink(0).prepare(1);
        assertFalse(held.isDone(), "it is forced elsewhere");
        first.work();
        assertTrue(held.isDone());
        first.sink(0).finish();
        CompletableFuture<Void> prepared = first.sink(0).prepare(2);
        assertFalse(prepared.isDone());
        first.work();
        assertTrue(prepared.isDone());
        CompletableFuture<Void> committed = first.sink(0).commit(2);
        assertFalse(committed.isDone());
        assertEquals(List.of(), shown(), "it is renamed elsewhere");
        first.work();
        assertTrue(committed.isDone());
        assertEquals(numbers(4), shown());
        first.close();
    }

    private void goesOnInPieces(Attempt first, String ending) throws Exception {
        for (int epoch = 1; epoch <= 5; epoch++) {
            first.feed(4);
            epoch(first, epoch);
            first.commit(epoch);
            assertEquals(List.of(), shown());
        }
        first.finish(6);
        assertEquals(numbers(20), shown());
        assertEquals(List.of("_SUCCESS", "part-00000-00006." + kind.word() + ending), names());
    }

    @Test
    void aPackedFileGoesOnOverEpochs() throws Exception {
        format = Map.of("compression", "gzip");
        goesOnInPieces(first(), ".gz");
    }

    @Test
    void aContainerGoesOnOverEpochs() throws Exception {
        kind = FileFormat.AVRO;
        goesOnInPieces(first(), "");
    }

    @Test
    void aDocumentGoesOnOverEpochs() throws Exception {
        kind = FileFormat.XML;
        goesOnInPieces(first(), "");
        assertEquals(1, Files.readString(out.resolve("part-00000-00006.xml")).split("<ROWS>").length - 1);
    }

    @Test
    void aFileOfAnotherFileSystemGoesOnOverEpochs() throws Exception {
        toHadoop("far");
        goesOnInPieces(new Attempt(1, 1, null), "");
    }

    @Test
    void aFileInPiecesHasOneHeader() throws Exception {
        format = Map.of("compression", "gzip", "header", "true");
        Attempt attempt = first();
        attempt.feed(2);
        Kept kept = epoch(attempt, 1);
        attempt.close();
        attempt = new Attempt(2, 1, kept);
        attempt.feed(2);
        attempt.finish(2);
        assertEquals(List.of("n", "0", "1", "2", "3"), lines(out.resolve("part-00000-00002.csv.gz")));
    }

    @Test
    void aFileHasAtMost64Pieces() throws Exception {
        format = Map.of("compression", "gzip");
        Attempt first = first();
        for (int epoch = 1; epoch <= 130; epoch++) {
            first.feed(1);
            epoch(first, epoch);
            first.commit(epoch);
        }
        assertEquals(List.of("part-00000-00065.csv.gz", "part-00000-00130.csv.gz"),
                names().stream().filter(name -> name.startsWith("part")).toList());
        first.finish(131);
        assertEquals(numbers(130), shown());
    }

    @Test
    void aPieceThatSomebodyDeletedIsNotForgotten() throws Exception {
        format = Map.of("compression", "gzip");
        Attempt first = first();
        first.feed(4);
        epoch(first, 1);
        first.feed(4);
        epoch(first, 2);
        Files.delete(out.resolve(names().stream().filter(name -> name.endsWith(".writing")).findFirst().orElseThrow()));
        String lost = assertThrows(IOException.class, () -> first.finish(3)).getMessage();
        assertTrue(lost.contains("epoch 1 is neither prepared nor there"), lost);
    }

    @Test
    void aFileOfThatNameIsNoProofThatThePiecesAreShown() throws Exception {
        format = Map.of("compression", "gzip");
        Attempt attempt = first();
        attempt.feed(4);
        epoch(attempt, 1);
        attempt.feed(4);
        Kept kept = epoch(attempt, 2);
        attempt.close();
        Files.write(out.resolve("part-00000-00003.csv.gz"), new byte[] {1});     // of an earlier run
        attempt = new Attempt(2, 1, kept);
        attempt.finish(3);
        assertEquals(numbers(8), shown());
    }

    @Test
    void piecesStayWhereTheirFileCannotBeMade() throws Exception {
        format = Map.of("compression", "gzip");
        Attempt first = first();
        first.feed(4);
        epoch(first, 1);
        first.feed(4);
        epoch(first, 2);
        List<String> pieces = names();
        Path way = Files.createDirectory(out.resolve("part-00000-00003.csv.gz"));
        assertThrows(IOException.class, () -> first.finish(3));
        assertTrue(names().containsAll(pieces), names() + " of " + pieces);
        Files.delete(way);
    }

    @Test
    void anEpochThatIsToBeWholeEndsItsFile() throws Exception {
        Attempt first = first();
        first.feed(4);
        CompletableFuture<Void> whole = first.sink(0).prepareWhole(1);
        first.prepared.add(1L);
        first.work();
        OperatorHarness.done(whole);
        first.commit(1);
        assertEquals(numbers(4), shown());
        first.close();
    }

    @Test
    void aDroppedEpochIsShownWithTheNext() throws Exception {
        roll = new FileSinkOptions.Roll(0, 1, Runnable::run);
        Attempt first = first();
        first.feed(2);
        epoch(first, 1);
        first.feed(2);
        epoch(first, 2);
        first.commit(2);
        assertEquals(numbers(4), shown());
        first.close();
    }

    @Test
    void emptyEpochsAreEpochs() throws Exception {
        Attempt first = first();
        epoch(first, 1);
        first.commit(1);
        Kept kept = epoch(first, 2);
        first.close();
        Attempt second = new Attempt(2, 1, kept);
        epoch(second, 3);
        second.commit(3);
        second.finish(4);
        assertEquals(List.of("_SUCCESS", "part-00000-00004.csv"), names());
        assertEquals(List.of(), shown());
    }

    @Test
    void theOpenFileGoesOnBehindACommittedEpoch() throws Exception {
        Attempt first = first();
        first.feed(4);
        Kept kept = epoch(first, 1);
        first.commit(1);
        first.close();
        committed = true;
        Attempt second = new Attempt(2, 1, kept);
        second.feed(2);
        second.finish(2);
        assertEquals(numbers(6), shown());
    }

    @Test
    void rowsThatSomebodyDeletedAreNotForgotten() throws Exception {
        Attempt first = first();
        first.feed(4);
        Kept kept = epoch(first, 1);
        first.close();
        for (String name : names()) {
            if (name.endsWith(".writing")) {
                Files.delete(out.resolve(name));
            }
        }
        String lost = assertThrows(IOException.class, () -> new Attempt(2, 1, kept)).getMessage();
        assertTrue(lost.contains("epoch 1 is neither prepared nor there: its 8 bytes are lost"), lost);
    }

    @Test
    void aFileThatSomebodyCutIsNotEndedBehindItsEnd() throws Exception {
        Attempt first = first();
        first.feed(4);
        Kept kept = epoch(first, 1);
        first.close();
        for (String name : names()) {
            if (name.endsWith(".writing")) {
                Files.writeString(out.resolve(name), "0\n");
            }
        }
        String lost = assertThrows(IOException.class, () -> new Attempt(2, 1, kept)).getMessage();
        assertTrue(lost.contains("has 2 bytes, but this job had written 8 in epoch 1"), lost);
    }

    private void chooseFormat(long seed) {
        kind = seed % 4 == 3 ? FileFormat.AVRO : seed % 8 == 2 ? FileFormat.XML : FileFormat.CSV;
        switch ((int) seed % 3) {
            case 0 -> {
                to("out" + seed);
                format = Map.of();
            }
            case 1 -> {
                to("out" + seed);
                format = Map.of("compression", kind == FileFormat.AVRO ? "deflate" : "gzip");
            }
            default -> toHadoop("out" + seed);
        }
    }

    /** Kills at random, also while the disk has something to do; some attempts are only stopped, and wake later. */
    private void run(long seed) throws Exception {
        Random random = new Random(seed);
        chooseFormat(seed);
        roll = new FileSinkOptions.Roll(0, random.nextInt(3) * 20, Runnable::run);
        zombies.clear();
        committed = false;
        Kept kept = null;
        long epoch = 0;
        Attempt attempt = null;
        for (int number = 1; number <= 4; number++) {
            attempt = new Attempt(number, 1 + random.nextInt(3), kept);
            for (int steps = random.nextInt(12); steps > 0; steps--) {
                attempt.feed(random.nextInt(6));
                CompletableFuture<Void> prepared = attempt.prepare(++epoch);
                Kept next = attempt.snapshot(epoch);
                if (random.nextInt(6) == 0) {
                    continue;       // dropped, or the kill comes here
                }
                attempt.work();
                OperatorHarness.done(prepared);
                kept = next;
                attempt.complete = epoch;
                committed = random.nextInt(4) > 0;
                if (committed) {
                    attempt.commit(epoch);
                }
            }
            for (Attempt zombie : zombies) {
                zombie.wake(epoch + 1);
            }
            if (number < 4 && random.nextBoolean()) {
                zombies.add(attempt);
            } else if (number < 4) {
                attempt.close();
            }
        }
        int rows = attempt.rows;
        attempt.finish(++epoch);
        for (Attempt zombie : zombies) {
            zombie.wake(epoch + 1);
        }
        List<Integer> more = new ArrayList<>(shown());
        List<Integer> lost = new ArrayList<>(numbers(rows));
        numbers(rows).forEach(more::remove);
        lost.removeAll(shown());
        assertEquals("lost [], more []", "lost " + lost + ", more " + more, "seed " + seed + names());
    }

    /** More seeds: {@code DESPINA_EVERY_CASE=1}, or -Ddespina.seeds=120. */
    @Test
    void killedAnywhereFilesShowEveryRowOnce() throws Exception {
        int usually = System.getenv("DESPINA_EVERY_CASE") == null ? 24 : 60;
        for (long seed = 0; seed < Integer.getInteger("despina.seeds", usually); seed++) {
            run(seed);
        }
    }
}
