package io.despina.operator.connect;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.ConnectorSettings;
import io.despina.expr.RecordParser;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.connect.AcknowledgedSourceOptions.Bounds;
import io.despina.operator.connect.AcknowledgedSourceOptions.From;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AcknowledgedSourceTest {
    private static final Schema VALUE = Schema.of(new Column("n", Simple.INT, true));
    private static final Schema BOTH = Schema.of(new Column("n", Simple.INT, true), new Column("again", Simple.BOOLEAN, true));
    private static final Schema LINE = Schema.of(new Column("time", Simple.TIMESTAMP, true), new Column("n", Simple.INT, true));
    private static final int RECORD_BYTES = 40;
    private static final long BUFFER_BYTES = 2_000;
    private static final long LOG_BYTES = 1 << 20;

    @TempDir
    private Path folder;
    private final FakeQueue server = new FakeQueue();
    private OperatorHarness source;

    private static AcknowledgedSource made(FakeQueue of, Schema all) {
        boolean lines = all == LINE;
        RecordFormat.Read records = new RecordFormat.Read(lines ? FileFormat.INFLUX : FileFormat.JSON, Map.of(),
                lines ? LINE : VALUE, 0, false, Set.of(), "UTC", true);
        List<MetadataColumn> beside = all == BOTH ? List.of(new MetadataColumn(FakeQueue.AGAIN, Simple.BOOLEAN)) : List.of();
        return new AcknowledgedSource(new AcknowledgedSourceOptions(records, new Columns(beside, all, false), null,
                options -> new Numbers(), new Bounds(RECORD_BYTES, BUFFER_BYTES, LOG_BYTES, 1_000),
                new From(() -> of, new ConnectorSettings(Map.of()), null)));
    }

    /** Reads {@code 1;2} as two rows; anything but a number is bad. */
    private static final class Numbers implements RecordParser {
        @Override
        public Refusal parse(byte[] line, int from, int to, PacketWriter out) {
            Refusal refusal = null;
            for (String piece : new String(line, from, to - from, StandardCharsets.UTF_8).split(";")) {
                if (piece.chars().allMatch(Character::isDigit)) {
                    out.begin().setInt(0, Integer.parseInt(piece));
                    out.commit();
                } else {
                    refusal = new Refusal("no number", piece, 1);
                }
            }
            return refusal;
        }
    }

    private OperatorHarness.Setup setup(Schema all) {
        return OperatorHarness.of(() -> made(server, all)).outputs(all).room(1 << 12, 2).skippingBadRecords();
    }

    private void kept() throws Exception {
        source = setup(VALUE).keeping(folder).open();
    }

    private void await(BooleanSupplier condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "it does not come");
            source.produce();
            Thread.onSpinWait();
        }
    }

    private boolean isOver() {
        try {
            return source.produce() == Source.ENDED;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<Object> numbers() {
        return source.rows(0).stream().map(each -> each.get(0)).toList();
    }

    @AfterEach
    void close() throws IOException {
        if (source != null) {
            source.close();
            assertTrue(server.reader.closed);
        }
    }

    @Test
    void withoutStateAMessageIsAcknowledgedWhenItsRowsAreInTheGraph() throws Exception {
        source = setup(VALUE).open();
        server.send("1;2", "3").give(2);
        assertEquals(0, server.acknowledged());
        assertEquals(Source.WHEN_WOKEN, source.produce());
        assertEquals(2, server.acknowledged());
        assertEquals(List.of(1, 2, 3), numbers());
    }

    @Test
    void aReaderThatHasReadAllEndsTheSourceWhenAllIsRead() throws Exception {
        kept();
        server.send("1", "2").give(2);
        server.reader.host.ended();
        await(this::isOver);
        assertEquals(List.of(1, 2), numbers());
        assertEquals(2, server.acknowledged());
    }

    @Test
    void withStateItIsAcknowledgedWhenTheLogHasIt() throws Exception {
        kept();
        server.send("1", "2").give(2);
        await(() -> server.acknowledged() == 2);
        assertEquals(List.of(1, 2), numbers());
        source.restartAfresh();
        await(() -> source.rows(0).size() == 4);
        assertEquals(List.of(1, 2, 1, 2), numbers());
        assertTrue(server.isEmpty());
    }

    @Test
    void aLineWithoutATimeHasThatOfItsArrivalForEver() throws Exception {
        source = setup(LINE).keeping(folder).open();
        source.now = 5_000_000;
        server.send("m n=1i").give(1);
        await(() -> server.acknowledged() == 1);
        source.now = 9_000_000;
        source.restartAfresh();
        await(() -> source.rows(0).size() == 2);
        assertEquals(List.of(List.of(5_000L, 1), List.of(5_000L, 1)), source.rows(0));
    }

    @Test
    void oneThatComesAgainIsNotTakenAgain() throws Exception {
        source = setup(BOTH).open();
        server.send("1", "2").give(1);
        server.cut();
        server.give(1);
        source.produce();
        assertEquals(List.of(row(1, false), row(2, false)), source.rows(0));
        assertTrue(server.isEmpty());
    }

    @Test
    void oneThatWasLostOnItsWayIsTakenWhenItComesAgain() throws Exception {
        source = setup(BOTH).open();
        server.send("1").give(1);
        source.restartAfresh();
        source.produce();
        assertEquals(List.of(row(1, true)), source.rows(0));
        assertTrue(server.isEmpty());
    }

    @Test
    void equalMessagesUnderOneNumberAreTwoIfTheServerDoesNotSayAgain() throws Exception {
        kept();
        for (int k = 0; k < 120; k++) {
            server.send("7").give(1);
            await(server::isEmpty);
        }
        assertEquals(120, source.rows(0).size());
    }

    @Test
    void aBadMessageIsToldOnceAndDoesNotComeAgain() throws Exception {
        kept();
        server.send("x", "", "1".repeat(RECORD_BYTES + 1), "5").give(4);
        await(server::isEmpty);
        assertEquals(List.of(5), numbers());
        assertEquals(3, source.badRecords.size(), source.badRecords.toString());
        assertTrue(source.badRecords.get(1).startsWith("queue: the record is empty"), source.badRecords.get(1));
        source.restart();
        source.produce();
        assertEquals(3, source.badRecords.size());
    }

    @Test
    void aStopWaitsForTheAcknowledgements() throws Exception {
        kept();
        server.send("1", "2").give(2);
        assertTrue(((Source) source.operator()).stop());
        assertTrue(server.reader.stopped);
        source.produceAll();
        assertEquals(List.of(1, 2), numbers());
        assertTrue(server.isEmpty());
    }

    @Test
    void withoutRoomNothingMoreIsRead() throws Exception {
        source = setup(VALUE).open();
        assertTrue(source.stateBytes > 2 * BUFFER_BYTES);
        int count = 0;
        while (server.reader.host.hasRoom()) {
            server.send(Integer.toString(count++)).give(1);
        }
        List<String> resumed = new ArrayList<>();
        server.reader.host.whenRoom(() -> resumed.add("now"));
        assertEquals(List.of(), resumed);
        source.produce();
        assertEquals(List.of("now"), resumed);
    }

    @Test
    void whatTheReaderCannotDoFailsTheJob() throws Exception {
        source = setup(VALUE).open();
        IOException gone = new IOException("gone");
        server.reader.host.failed(gone);
        assertSame(gone, assertThrows(IOException.class, () -> source.produce()));
    }

    @Test
    void theServerKnowsAJobWithStateAgain() throws Exception {
        kept();
        String name = server.reader.host.name();
        assertTrue(server.reader.host.isKept());
        assertTrue(name.matches("[0-9a-f]{12}\\.tested\\.0"), name);
        source.restartAfresh();
        assertEquals(name, server.reader.host.name());
        source.close();
        source = setup(VALUE).open();
        assertFalse(server.reader.host.isKept());
        assertFalse(name.equals(server.reader.host.name()));
    }

    /** Of what is in the snapshot, and of what only the log has. */
    @Test
    void theReaderIsToldWhatWasTakenLastWhenThatIsReadAgain() throws Exception {
        kept();
        source.produce();
        assertEquals(Map.of(), server.reader.last);
        server.send("1", "2").give(2);
        await(() -> server.acknowledged() == 2);
        ((Source) source.operator()).barrier(1);
        Map<String, byte[]> snapshot = source.snapshot();
        server.send("33").give(1);
        await(() -> server.acknowledged() == 3);
        source.restart(snapshot);
        assertNull(server.reader.last);
        await(() -> server.reader.last != null);
        assertEquals(Map.of("1", "31", "2", "32", "3", "660"), server.reader.last);
        assertEquals(List.of(1, 2, 33, 33), numbers());
    }

    @Test
    void fewerInstancesCannotReadTheLogsOfMore() throws Exception {
        kept();
        server.send("1").give(1);
        await(server::isEmpty);
        ((Source) source.operator()).barrier(1);
        Map<String, byte[]> snapshot = source.snapshot();
        assertThrows(SnapshotException.class, () -> source.restart(snapshot, 2));
    }

    /** Messages come, epochs begin and are complete, connections and processes are lost, at any point. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void nothingIsLostAndNothingComesTwice(long seed) throws Exception {
        Random random = new Random(seed);
        kept();
        int count = 400;
        IntStream.range(0, count).forEach(k -> server.send(k % 3 == 0 ? "7;7;" + k : Integer.toString(k)));
        Lives lives = new Lives();
        while (!server.isEmpty()) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> server.give(1 + random.nextInt(9));
                case 3, 4 -> lives.produce();
                case 5 -> lives.epoch(random.nextBoolean());
                case 6 -> server.cut();
                default -> {
                    if (random.nextInt(3) == 0) {
                        lives.die();
                    }
                }
            }
        }
        lives.die();
        lives.finish(count);
        List<Object> expected = new ArrayList<>();
        IntStream.range(0, count).forEach(k -> expected.addAll(k % 3 == 0 ? List.of(7, 7, k) : List.of(k)));
        assertEquals(expected, lives.rows);
    }

    /** The rows that count: those of an attempt behind its last epoch do not. */
    private final class Lives {
        private final List<Object> rows = new ArrayList<>();
        private final TreeMap<Long, Map<String, byte[]>> snapshots = new TreeMap<>();
        private final TreeMap<Long, Integer> sizes = new TreeMap<>();
        private int read;
        private long epoch;

        void produce() throws Exception {
            source.produce();
            take();
        }

        private void take() {
            List<Object> all = numbers();
            rows.addAll(all.subList(read, all.size()));
            read = all.size();
        }

        void epoch(boolean complete) throws Exception {
            take();
            epoch++;
            ((Source) source.operator()).barrier(epoch);
            snapshots.put(epoch, source.snapshot());
            sizes.put(epoch, rows.size());
            if (complete) {
                ((Source) source.operator()).acknowledge(epoch);
            }
        }

        void die() throws Exception {
            take();
            if (snapshots.isEmpty()) {
                source.restartAfresh();
                rows.clear();
            } else {
                source.restart(snapshots.lastEntry().getValue());
                rows.subList(sizes.lastEntry().getValue(), rows.size()).clear();
            }
        }

        void finish(int count) throws Exception {
            int all = count + 2 * ((count + 2) / 3);
            await(() -> {
                take();
                return rows.size() >= all && server.isEmpty();
            });
            produce();
        }
    }
}
