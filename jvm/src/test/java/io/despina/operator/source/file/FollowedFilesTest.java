package io.despina.operator.source.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Source;
import io.despina.operator.disk.FolderNotices;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedFilesTest {
    private static final Schema LINE = Schema.of(new Column("value", Simple.STRING, true));

    @TempDir
    Path folder;

    private Path log;
    private boolean restart;
    private FolderNotices notices = FolderNotices.NONE;
    private FileFormat format = FileFormat.TEXT;
    private Map<String, String> options = Map.of();

    @BeforeEach
    void name() {
        log = folder.resolve("log");
    }

    private OperatorHarness.Setup setup(Object path) {
        RecordFormat.Read records = new RecordFormat.Read(format, options, LINE, 0, false, Set.of(), "UTC", true);
        FileSourceOptions all = new FileSourceOptions(path.toString(), records,
                new Reading(restart ? Follow.RESTART_ON_TRUNCATE : Follow.FAIL_ON_TRUNCATE,
                        Replay.AS_FAST_AS_POSSIBLE, false, 1), null, any -> null);
        return OperatorHarness.of(() -> new FileSource(all, new FileSourceOptions.Outside(notices, null)))
                .outputs(LINE).room(4096, 1);
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
    }

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    private static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Reads what there is now, without a look at the path unless one is due. */
    private static List<String> read(OperatorHarness source) throws Exception {
        long next;
        do {
            next = source.produce();
        } while (next <= source.now);
        assertTrue(next != Source.ENDED, "a followed source has no end");
        return source.rows(0).stream().map(row -> (String) row.get(0)).toList();
    }

    /** The same after the path was looked at twice. */
    private static List<String> readLater(OperatorHarness source) throws Exception {
        source.now += FollowedFiles.LOOK_NANOS;
        read(source);
        source.now += FollowedFiles.LOOK_NANOS;
        return read(source);
    }

    @Test
    void aRotatedFileIsReadToItsEndAndTheNewOneFromItsBeginning() throws Exception {
        write(log, "one\ntwo\n");
        try (OperatorHarness source = setup(log).open()) {
            assertEquals(List.of("one", "two"), read(source));
            append(log, "three\nfo");
            rename(log, folder.resolve("log.1"));
            write(log, "a longer line than all before\nsix\n");
            append(folder.resolve("log.1"), "ur");
            assertEquals(List.of("one", "two", "three", "four", "a longer line than all before", "six"), readLater(source));
            append(log, "seven\n");
            assertEquals("seven", read(source).get(6));
            assertEquals(1, source.warnings.size(), source.warnings.toString());
            assertTrue(source.warnings.get(0).startsWith(log + " is another file now"), source.warnings.toString());
        }
    }

    @Test
    void aWriterMayGoOnInTheOldFileUntilTheNewOneHasBytes() throws Exception {
        write(log, "one\n");
        Path old = folder.resolve("log.1");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            rename(log, old);
            append(old, "two\n");
            assertEquals(List.of("one", "two"), readLater(source));
            write(log, "");
            append(old, "three\n");
            readLater(source);
            append(old, "four\n");
            assertEquals(List.of("one", "two", "three", "four"), readLater(source));
            append(log, "five\n");
            assertEquals(List.of("one", "two", "three", "four", "five"), readLater(source));
        }
    }

    @Test
    void aFileThatReplacesAnotherIsReadFromItsBeginning() throws Exception {
        write(log, "one\n");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            Path next = folder.resolve("next");
            write(next, "one\ntwo\n");
            rename(next, log);
            assertEquals(List.of("one", "one", "two"), readLater(source));
        }
    }

    @Test
    void aFileCutShortAndGrownAgainFailsTheSource() throws Exception {
        write(log, "one\ntwo\n");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            write(log, "ALPHA\nBRAVO\nCHARLIE\n");
            String failure = assertThrows(IOException.class, () -> read(source)).getMessage();
            assertTrue(failure.startsWith(log + " was truncated or rewritten"), failure);
            assertTrue(failure.endsWith("or say \"on_truncate\": \"restart\""), failure);
            assertEquals(List.of(List.of("one"), List.of("two")), source.rows(0));
        }
    }

    @Test
    void aFileCutShortAnywhereIsNoticed() throws Exception {
        String text = "x".repeat(300) + "\n" + "y".repeat(300) + "\n";
        for (int left : new int[] {0, 1, 300, 601}) {
            write(log, text);
            try (OperatorHarness source = setup(log).open()) {
                read(source);
                write(log, text.substring(0, left));
                assertThrows(IOException.class, () -> read(source), "with " + left + " bytes left");
            }
        }
    }

    @Test
    void aFileCutShortIsReadAgainWhereThatIsAskedFor() throws Exception {
        restart = true;
        format = FileFormat.CSV;
        options = Map.of("header", "true");
        write(log, "value\none\ntwo\nthr");
        try (OperatorHarness source = setup(log).open()) {
            assertEquals(List.of("one", "two"), read(source));
            write(log, "value\nALPHA\nBRAVO\nCHARLIE\n");
            assertEquals(List.of("one", "two", "ALPHA", "BRAVO", "CHARLIE"), read(source));
            write(log, "value\nDELTA\n");
            assertEquals("DELTA", read(source).get(5));
            assertEquals(2, source.warnings.size(), source.warnings.toString());
        }
    }

    @Test
    void whatIsAppendedByteByByteIsNoTruncation() throws Exception {
        write(log, "");
        String text = IntStream.range(0, 200).mapToObj(k -> k + "\n").reduce("", String::concat);
        try (OperatorHarness source = setup(log).open()) {
            for (int k = 0; k < text.length(); k++) {
                append(log, text.substring(k, k + 1));
                read(source);
            }
            assertEquals(text.lines().toList(), read(source));
        }
    }

    @Test
    void newFilesOfAFolderAreReadFromTheirBeginning() throws Exception {
        format = FileFormat.CSV;
        options = Map.of("header", "true");
        write(folder.resolve("b.csv"), "value\none\n");
        try (OperatorHarness source = setup(folder).open()) {
            read(source);
            write(folder.resolve("a.csv"), "");
            readLater(source);
            append(folder.resolve("a.csv"), "\uFEFFvalue\ntwo\n");
            write(folder.resolve("c.csv"), "value\nthree\n");
            append(folder.resolve("b.csv"), "four\n");
            assertEquals(List.of("four", "one", "three", "two"), readLater(source).stream().sorted().toList());
            assertEquals(List.of(), source.warnings);
        }
    }

    @Test
    void aFileRenamedWithinTheGlobIsFollowedOnAndNotReadAgain() throws Exception {
        write(log, "1\n");
        try (OperatorHarness source = setup(folder + "/log*").open()) {
            for (int k = 2; k <= 9; k++) {
                read(source);
                for (int old = 3; old > 0; old--) {
                    Path from = folder.resolve("log." + old);
                    if (Files.exists(from)) {
                        rename(from, folder.resolve("log." + (old + 1)));
                    }
                }
                append(log, k + " at the old one's end\n");
                rename(log, folder.resolve("log.1"));
                write(log, k + "\n");
                readLater(source);
            }
            List<String> expected = new ArrayList<>(List.of("1"));
            IntStream.rangeClosed(2, 9).forEach(k -> expected.addAll(List.of(k + " at the old one's end", k + "")));
            assertEquals(expected, read(source));
        }
    }

    @Test
    void anInstanceWithoutFilesIsIdleUntilOneComes() throws Exception {
        write(log, "one\n");
        try (OperatorHarness first = setup(folder).instance(0, 2).open();
                OperatorHarness second = setup(folder).instance(1, 2).open()) {
            List<OperatorHarness> both = List.of(first, second);
            for (OperatorHarness each : both) {
                assertEquals(read(each).isEmpty(), each.events(0).contains(new Event(null, null, false, true)));
            }
            for (int k = 0; k < 10; k++) {
                write(folder.resolve("other" + k), k + "\n");
            }
            assertTrue(readLater(first).size() > 1 && readLater(second).size() > 1, first.rows(0) + " " + second.rows(0));
            assertEquals(11, first.rows(0).size() + second.rows(0).size());
        }
    }

    /** Whichever of two instances looks before it has its name, and whichever after. */
    @Test
    void aNewFileThatIsRenamedBetweenTwoLooksIsReadOnce() throws Exception {
        write(folder.resolve("old"), "");
        try (OperatorHarness first = setup(folder).instance(0, 2).open();
                OperatorHarness second = setup(folder).instance(1, 2).open()) {
            read(first);
            read(second);
            for (int k = 0; k < 20; k++) {
                write(folder.resolve("new" + k), k + "\n");
            }
            readLater(first);
            for (int k = 0; k < 20; k++) {
                rename(folder.resolve("new" + k), folder.resolve("renamed" + k));
            }
            assertEquals(20, readLater(second).size() + readLater(first).size());
        }
    }

    @Test
    void aNewNameDoesNotGiveAFileToAnotherInstance() throws Exception {
        for (int k = 0; k < 10; k++) {
            write(folder.resolve("log" + k), k + "\n");
        }
        try (OperatorHarness first = setup(folder).instance(0, 2).open();
                OperatorHarness second = setup(folder).instance(1, 2).open()) {
            read(first);
            read(second);
            for (int k = 0; k < 10; k++) {
                rename(folder.resolve("log" + k), folder.resolve("log" + k + ".1"));
                append(folder.resolve("log" + k + ".1"), k + " and more\n");
            }
            assertEquals(20, readLater(first).size() + readLater(second).size());
        }
    }

    @Test
    void aFileThatIsGoneIsDoneWithWhenItHasBeenSilent() throws Exception {
        write(log, "one\n");
        write(folder.resolve("other"), "two\n");
        try (OperatorHarness source = setup(folder).open()) {
            read(source);
            Path away = folder.resolve("_away");
            rename(log, away);
            readLater(source);
            append(away, "three\n");
            assertEquals(List.of("one", "two", "three"), readLater(source));
            source.now += FollowedFiles.GONE_NANOS;
            readLater(source);
            assertTrue(source.warnings.get(0).startsWith(log + " is gone"), source.warnings.toString());
            append(away, "four\n");
            assertEquals(3, readLater(source).size());
            assertFalse(new String(source.snapshot().get("place"), StandardCharsets.ISO_8859_1).contains("log"));
        }
    }

    @Test
    void aRestartFindsTheOldFileUnderItsNewName() throws Exception {
        write(log, "one\n");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            append(log, "two\n");
            rename(log, folder.resolve("log.1"));
            write(log, "three\n");
            source.restart();
            assertEquals(List.of("one", "two", "three"), readLater(source));
            Files.delete(log);
            write(log, "four\n");
            assertEquals("four", readLater(source).get(3));
        }
    }

    @Test
    void aRestartNoticesAFileCutShort() throws Exception {
        restart = true;
        write(log, "one\ntwo\n");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            write(log, "3\n");
            source.restart();
            assertEquals(List.of("one", "two", "3"), read(source));
            assertEquals(1, source.warnings.size(), source.warnings.toString());
        }
    }

    @Test
    void filesThatGrowTakeTurns() throws Exception {
        write(folder.resolve("a"), "1\n2\n");
        write(folder.resolve("b"), "3\n");
        try (OperatorHarness source = setup(folder).open()) {
            assertEquals(List.of("1", "2", "3"), read(source));
            append(folder.resolve("b"), "4\n");
            assertEquals("4", read(source).get(3));
            append(folder.resolve("b"), "5\n");
            append(folder.resolve("a"), "6\n");
            assertEquals(Set.of("5", "6"), Set.copyOf(read(source).subList(4, 6)));
        }
    }

    @Test
    void aRestartFailsIfTheOldFileIsNotThere() throws Exception {
        write(log, "one\n");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            Path next = folder.resolve("next");
            write(next, "two\n");
            rename(next, log);
            String failure = assertThrows(IOException.class, source::restart).getMessage();
            assertTrue(failure.startsWith("cannot go on with a file that does not exist: " + log), failure);
        }
    }

    /** Notices that the test gives. */
    private static final class Told implements FolderNotices {
        private final Map<Path, Set<ChangeListener>> listeners = new HashMap<>();
        private boolean refuses;

        @Override
        public boolean watch(Path folder, ChangeListener listener) {
            if (refuses) {
                forget(folder, listener);
                return false;
            }
            listeners.computeIfAbsent(folder, name -> new HashSet<>()).add(listener);
            return true;
        }

        @Override
        public void forget(Path folder, ChangeListener listener) {
            listeners.getOrDefault(folder, new HashSet<>()).remove(listener);
        }

        private void written(Path file) throws IOException {
            Path folder = file.toRealPath().getParent();
            listeners.get(folder).forEach(each -> each.written(folder.resolve(file.getFileName())));
        }

        private void changed(Path folder) throws IOException {
            listeners.get(folder.toRealPath()).forEach(FolderNotices.ChangeListener::changed);
        }
    }

    private Told told() {
        Told told = new Told();
        notices = told;
        return told;
    }

    @Test
    void aNoticeHasASilentSourceRead() throws Exception {
        Told told = told();
        Path other = folder.resolve("other");
        write(log, "one\n");
        write(other, "two\n");
        try (OperatorHarness source = setup(folder).open()) {
            read(source);
            assertEquals(FollowedFiles.LOOK_NANOS, source.produce(), "nothing is polled");
            append(log, "three\n");
            append(other, "four\n");
            assertEquals(2, read(source).size());
            assertEquals(0, source.wakes.get());
            told.written(log);
            assertEquals(1, source.wakes.get());
            assertEquals(List.of("three"), read(source).subList(2, 3));
            assertEquals(3, source.rows(0).size(), "no notice has told of the other file");
            told.written(other);
            told.written(other);
            assertEquals(2, source.wakes.get(), "it is awake already");
            assertEquals("four", read(source).get(3));
        }
    }

    @Test
    void aFileThatComesIsReadAtTheNoticeOfIt() throws Exception {
        Told told = told();
        write(log, "one\n");
        try (OperatorHarness source = setup(folder).open()) {
            read(source);
            write(folder.resolve("next"), "two\n");
            assertEquals(1, read(source).size());
            told.changed(folder);
            assertEquals(1, source.wakes.get());
            assertEquals(List.of("one", "two"), read(source));
            append(folder.resolve("next"), "three\n");
            told.written(folder.resolve("next"));
            assertEquals("three", read(source).get(2));
        }
    }

    @Test
    void aRotationIsSeenAtItsNotice() throws Exception {
        Told told = told();
        write(log, "one\n");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            rename(log, folder.resolve("log.1"));
            append(folder.resolve("log.1"), "two\n");
            write(log, "three\n");
            told.changed(folder);
            assertEquals(List.of("one", "two", "three"), read(source));
        }
    }

    @Test
    void whatNoNoticeTellsIsSeenAtTheNextLook() throws Exception {
        told();
        write(log, "one\n");
        try (OperatorHarness source = setup(folder).open()) {
            read(source);
            append(log, "two\n");
            write(folder.resolve("next"), "three\n");
            assertEquals(1, read(source).size());
            source.now += FollowedFiles.LOOK_NANOS;
            assertEquals(List.of("one", "two", "three"), read(source));
        }
    }

    @Test
    void filesWithoutNoticesArePolled() throws Exception {
        Told told = told();
        told.refuses = true;
        write(log, "one\n");
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            assertEquals(FollowedFiles.POLL_NANOS, source.produce());
            append(log, "two\n");
            assertEquals(List.of("one", "two"), read(source));
            told.refuses = false;
            source.now += FollowedFiles.LOOK_NANOS;
            read(source);
            assertEquals(source.now + FollowedFiles.LOOK_NANOS, source.produce(), "notices tell of them now");
            rename(log, folder.resolve("log.1"));
            told.changed(folder);
            read(source);
            assertEquals(source.now + FollowedFiles.POLL_NANOS, source.produce(), "a file without a name has no notices");
        }
    }

    @Test
    void aFileBehindALinkIsWatchedWhereItLies() throws Exception {
        Told told = told();
        Path real = Files.createDirectory(folder.resolve("real")).resolve("file");
        write(real, "one\n");
        Files.createSymbolicLink(log, real);
        try (OperatorHarness source = setup(log).open()) {
            read(source);
            append(real, "two\n");
            told.written(real);
            assertEquals(List.of("one", "two"), read(source));
        }
        assertTrue(told.listeners.values().stream().allMatch(Set::isEmpty), "it listens no more when it is closed");
    }

    @Test
    void newFoldersAreFoundAndGiveTheirColumn() throws Exception {
        Schema both = Schema.of(new Column("value", Simple.STRING, true), new Column("run", Simple.INT, true));
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.TEXT, Map.of(), both, 2, false, Set.of(), "UTC", true);
        FileSourceOptions all = new FileSourceOptions(folder.toString(), records, new Reading(Follow.FAIL_ON_TRUNCATE,
                Replay.AS_FAST_AS_POSSIBLE, false, 1), null, any -> null);
        OperatorHarness.Setup setup = OperatorHarness.of(() -> new FileSource(all)).outputs(both).room(4096, 1);
        try (OperatorHarness source = setup.open()) {
            assertEquals(List.of(), read(source));
            write(Files.createDirectories(folder.resolve("run=1")).resolve("a"), "one\n");
            assertEquals(List.of("one"), readLater(source));
            write(Files.createDirectories(folder.resolve("run=2")).resolve("a"), "two\n");
            append(folder.resolve("run=1/a"), "three\n");
            source.restart();
            readLater(source);
            assertEquals(List.of(List.of("one", 1), List.of("three", 1), List.of("two", 2)), source.rows(0).stream()
                    .sorted(java.util.Comparator.comparing(Object::toString)).toList());
        }
    }
}
