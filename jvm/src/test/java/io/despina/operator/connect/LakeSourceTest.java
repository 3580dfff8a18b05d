package io.despina.operator.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.LostException;
import io.despina.expr.DamagedFileException;
import io.despina.expr.FileRows;
import io.despina.operator.OperatorHarness;
import io.despina.operator.connect.LakeSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A table whose files are named by the numbers in them: {@code 1-2-3}. */
class LakeSourceTest {
    private static final Schema SCHEMA = Schema.of(new Column("part", Simple.INT, true), new Column("n", Simple.INT, true));
    private static final long SECOND = 1_000_000_000L;
    /** For one row at a time. */
    private static final int ROOM_BYTES = 16;
    private static final int CALLS = 12;

    private final FakeReader table = new FakeReader();
    private OperatorHarness source;

    /** Fails as often as the test says. */
    private static final class FakeReader implements LakeReader {
        private final TreeMap<Long, VersionFiles> whole = new TreeMap<>();
        private final TreeMap<Long, VersionFiles> added = new TreeMap<>();
        private int failing;
        private boolean closed;
        private String identity = "one";

        private void fail() throws LostException {
            if (failing > 0) {
                failing--;
                throw new LostException("the folder is away", null);
            }
        }

        @Override
        public long first() throws IOException {
            fail();
            return whole.lastKey();
        }

        @Override
        public String identity() {
            return identity;
        }

        @Override
        public VersionFiles all(long version) throws IOException {
            fail();
            return whole.get(version);
        }

        @Override
        public VersionFiles added(long version) throws IOException {
            fail();
            return added.get(version);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final class FakeConnector implements Connector {
        @Override
        public LakeReader lake(ConnectorSettings settings) {
            return table;
        }
    }

    /** Of the disk: how often opening a file fails, and how often going to its next row. */
    private int unopened;
    private int unread;
    private int opened;
    private int closed;

    private static void fail(boolean fails) throws IOException {
        if (fails) {
            throw new IOException("the file cannot be read", new IllegalStateException(new IOException("Input/output error")));
        }
    }

    /** The numbers of a file. */
    private final class Numbers implements FileRows {
        private final List<Integer> numbers;
        private int at;

        Numbers(Path file, long from) throws IOException {
            fail(unopened-- > 0);
            if (file.endsWith("x")) {
                throw new IOException("the file has other columns", new IllegalStateException("x"));
            }
            if (file.endsWith("y")) {
                throw new DamagedFileException("the file is damaged", new IOException("corrupt page"));
            }
            opened++;
            numbers = Arrays.stream(file.getFileName().toString().split("-")).map(Integer::valueOf).toList();
            at = (int) from;
        }

        @Override
        public boolean next() throws IOException {
            fail(at > 0 && unread-- > 0);
            return at++ < numbers.size();
        }

        @Override
        public void write(PacketWriter out) {
            out.begin().setInt(0, numbers.get(at - 1));
            out.commit();
        }

        @Override
        public long heldBytes() {
            return 0;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private static LakeReader.VersionFiles files(boolean changes, String... names) {
        List<LakeReader.VersionFile> files = Arrays.stream(names).map(name -> new LakeReader.VersionFile("/" + name,
                () -> Arrays.asList(null, "c1"), Map.of(0, Integer.toString(name.length())),
                name.startsWith("0") ? () -> row -> row == 0 : null)).toList();
        return new LakeReader.VersionFiles(files, changes);
    }

    private void open(Reading reading) throws Exception {
        source = OperatorHarness.of(() -> new LakeSource(new LakeSourceOptions(FakeConnector::new,
                new ConnectorSettings(Map.of("path", "lake")), SCHEMA, Schema::toString, (path, schema, from) -> {
                    assertEquals(List.of("c1"), schema.columns().stream().map(Column::name).toList());
                    return new Numbers(path, from);
                }, null, reading))).outputs(SCHEMA).room(ROOM_BYTES, 1).open();
    }

    private static Reading reading(boolean onlyNew, boolean follow, boolean passesOver) {
        return new Reading(onlyNew, follow, passesOver, 1_000, 60_000);
    }

    @Test
    void aFileThatCannotBeReadForAMomentIsReadOn() throws Exception {
        table.whole.put(0L, files(false, "1-2-3", "4-5"));
        unopened = 2;
        unread = 2;
        open(reading(false, false, false));
        source.produceAll();
        assertEquals(List.of(1, 2, 3, 4, 5), numbers());
        assertEquals(List.of("the file cannot be read; trying again", "the file cannot be read; trying again"), source.warnings);
        assertEquals(opened, closed);
    }

    @Test
    void whoIsToldToEndAsItReadsAFileDoesNotSayThatItTriesAgain() throws Exception {
        table.whole.put(0L, files(false, "1"));
        unopened = 1;
        open(reading(false, false, false));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> source.produceAll());
        assertEquals(List.of(), source.warnings);
    }

    @Test
    void whatNoOtherTryWouldMendIsToldAtOnce() throws Exception {
        table.whole.put(0L, files(false, "1", "x"));
        open(reading(false, false, false));
        assertEquals("the file has other columns", assertThrows(IOException.class, () -> source.produceAll()).getMessage());
        assertEquals(List.of(), source.warnings);
        source.close();
        table.whole.put(0L, files(false, "1", "y"));
        open(reading(false, false, false));
        assertEquals("the file is damaged", assertThrows(IOException.class, () -> source.produceAll()).getMessage());
        assertEquals(List.of(), source.warnings);
    }

    private List<Object> numbers() {
        return source.rows(0).stream().map(row -> row.get(1)).toList();
    }

    /** Calls it until it has nothing to do for now. */
    private void readAll() throws Exception {
        while (source.produce() <= source.now) {
            continue;
        }
    }

    @Test
    void aVersionIsReadToItsEndWithoutTheRowsThatAreGone() throws Exception {
        table.whole.put(3L, files(false, "1", "0-2-3", "4-5"));
        table.failing = 1;
        open(reading(false, false, false));
        source.produceAll();
        assertEquals(List.of(List.of(1, 1), List.of(5, 2), List.of(5, 3), List.of(3, 4), List.of(3, 5)), source.rows(0));
        assertEquals(1, source.warnings.size(), source.warnings.toString());
        source.close();
        assertTrue(table.closed);
    }

    @Test
    void whatLaterVersionsAddIsFollowed() throws Exception {
        table.whole.put(3L, files(false, "1-2"));
        open(reading(false, true, false));
        readAll();
        assertEquals(SECOND, source.produce() - source.now);
        table.added.put(4L, files(false));
        table.added.put(5L, files(false, "3", "4-5"));
        readAll();
        assertEquals(List.of(1, 2, 3, 4, 5), numbers());
    }

    @Test
    void onlyWhatIsNewIsReadWhereThatIsWanted() throws Exception {
        table.whole.put(3L, files(false, "1-2"));
        open(reading(true, true, false));
        readAll();
        table.added.put(4L, files(false, "3"));
        source.restart();
        readAll();
        assertEquals(List.of(3), numbers());
    }

    @Test
    void aVersionThatChangesRowsFailsTheJobOrIsPassedOver() throws Exception {
        table.whole.put(0L, files(false, "1"));
        table.added.put(1L, files(true, "7"));
        table.added.put(2L, files(false, "2"));
        open(reading(false, true, false));
        assertEquals("version 1 of `path` lake has changed or removed rows of earlier versions: only rows that are added can be "
                + "followed. With \"on_change\": \"skip\" such a version is passed over",
                assertThrows(IOException.class, this::readAll).getMessage());
        source.close();
        open(reading(false, true, true));
        readAll();
        assertEquals(List.of(1, 2), numbers());
        assertEquals(List.of("version 1 of `path` lake has changed or removed rows of earlier versions, and is passed over"),
                source.warnings);
    }

    @Test
    void aSnapshotAnywhereHasEachRowOnce() throws Exception {
        table.whole.put(0L, files(false, "1", "0-2-3"));
        table.added.put(1L, files(false));
        table.added.put(2L, files(false, "4-5", "6"));
        for (int calls = 0; calls < CALLS; calls++) {
            open(reading(false, true, false));
            for (int k = 0; k < calls; k++) {
                source.produce();
            }
            source.restart();
            source.restart();
            readAll();
            assertEquals(List.of(1, 2, 3, 4, 5, 6), numbers(), "after " + calls + " calls");
            source.close();
        }
    }

    @Test
    void aVersionWithOtherFilesThanBeforeIsTold() throws Exception {
        table.whole.put(0L, files(false, "1-2-3-4-5-6-7-8"));
        open(reading(false, false, false));
        source.produce();
        Map<String, byte[]> snapshot = source.snapshot();
        table.whole.put(0L, files(false, "9-2-3-4-5-6-7-8"));
        source.restart(snapshot);
        assertEquals("version 0 of `path` lake has other files than when the job read it",
                assertThrows(IOException.class, () -> source.produceAll()).getMessage());
    }

    @Test
    void aTableThatWasDroppedAndMadeAgainIsTold() throws Exception {
        table.whole.put(3L, files(false, "1-2"));
        open(reading(false, true, false));
        readAll();
        table.added.put(4L, files(false, "3"));
        table.identity = "two";
        source.restart();
        assertEquals("`path` lake was dropped and made again since the job read it, so its versions are others. A new state "
                + "folder begins with the table that is there", assertThrows(IOException.class, this::readAll).getMessage());
        assertEquals(List.of(1, 2), numbers());
    }
}
