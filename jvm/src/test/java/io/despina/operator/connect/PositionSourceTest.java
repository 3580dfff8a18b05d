package io.despina.operator.connect;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.ConnectorSettings;
import io.despina.expr.RecordParser;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Source;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.connect.PositionSourceOptions.From;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Never;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PositionSourceTest {
    private static final Schema TEXT = Schema.of(new Column("value", Simple.STRING, true));
    private static final Schema TIMED = Schema.of(new Column("ts", Simple.TIMESTAMP, true), new Column("s", Simple.STRING, true));
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final long SECOND = 1_000_000L;
    private static final int RECORD_BYTES = 40;

    private final FakeServer server = new FakeServer();
    private FileFormat format = FileFormat.TEXT;
    private Schema schema = TEXT;
    private List<MetadataColumn> metadata = List.of();
    private List<Column> more = List.of();
    private boolean emptyBy;
    private EventTime time;
    private OperatorHarness source;

    private PositionSource made() {
        RecordFormat.Read records = new RecordFormat.Read(format, Map.of(), schema, format == FileFormat.CSV ? schema.size() : 0,
                false, Set.of(), "UTC", true);
        return new PositionSource(new PositionSourceOptions(records, new Columns(metadata, all(), emptyBy), time,
                options -> new Pieces(), new Bounds(RECORD_BYTES, 1000), new From(() -> server, new ConnectorSettings(Map.of()),
                        server.bounded, null)));
    }

    private Schema all() {
        return new Schema(Stream.concat(schema.columns().stream(), more.stream()).toList());
    }

    /** Reads {@code 1a;2b} as two rows, and says of a piece with an x that it is bad: as Spark's parser does with arrays. */
    private static final class Pieces implements RecordParser {
        @Override
        public Refusal parse(byte[] line, int from, int to, PacketWriter out) {
            Refusal refusal = null;
            for (String piece : new String(line, from, to - from, StandardCharsets.UTF_8).split(";")) {
                if (piece.contains("x")) {
                    refusal = new Refusal("no number", piece, 1);
                } else {
                    byte[] rest = piece.substring(1).getBytes(StandardCharsets.UTF_8);
                    out.begin().setInt(0, piece.charAt(0) - '0');
                    out.setBytes(1, rest, 0, rest.length);
                    out.commit();
                }
            }
            return refusal;
        }
    }

    private OperatorHarness.Setup setup() {
        return OperatorHarness.of(this::made).outputs(all()).room(1 << 12, 2).skippingBadRecords().attempt(1);
    }

    private OperatorHarness open() throws Exception {
        source = setup().open();
        return source;
    }

    @AfterEach
    void close() throws IOException {
        if (source != null) {
            source.close();
            assertTrue(server.last().closed);
        }
    }

    private static List<List<Object>> rows(String... values) {
        return Stream.of(values).map(value -> row(value)).toList();
    }

    @Test
    void itReadsEveryPartitionAndWaitsToBeWoken() throws Exception {
        server.partition("t/0", "a", "b").partition("t/1", "c");
        open();
        assertEquals(Source.WHEN_WOKEN, source.produce());
        server.last().read(10);
        assertTrue(source.wakes.get() > 0);
        assertEquals(Source.WHEN_WOKEN, source.produce());
        assertEquals(rows("a", "b", "c"), source.rows(0));
        assertTrue(server.last().host.hasRoom());
    }

    @Test
    void itGoesOnWhereTheSnapshotIs() throws Exception {
        server.partition("t/0", "a", "b", "c").partition("t/1", "d");
        open();
        server.last().read("t/0", 2);
        source.produce();
        Map<String, byte[]> snapshot = source.snapshot();
        server.last().read(10);
        source.produce();
        source.restart(snapshot);
        server.last().read(10);
        source.produce();
        assertEquals(rows("a", "b", "c", "d", "c", "d"), source.rows(0));
    }

    @Test
    void aRecordOfSeveralRowsIsGoneOnWithinIt() throws Exception {
        format = FileFormat.JSON;
        schema = PAIR;
        server.partition("t/0", "1aaaaaaaaaaaaaaaaaa;x;2b;3c;4d;5e", "6f");
        source = setup().room(32, 1).open();
        server.last().read(10);
        source.produce();
        int before = source.rows(0).size();
        assertTrue(before > 0 && before < 6, source.rows(0).toString());
        source.restart();
        server.last().read(10);
        readAll();
        assertEquals(List.of(1, 2, 3, 4, 5, 6), source.rows(0).stream().map(each -> each.get(0)).toList());
        assertEquals(List.of("t/0@0: no number: x"), source.badRecords);
    }

    @Test
    void aSnapshotWithinARecordChangesNothing() throws Exception {
        format = FileFormat.JSON;
        schema = PAIR;
        server.partition("t/0", "1aaaaaaaaaaaaaaaaaa;2b;3c;4d").partition("t/1", "5e");
        source = setup().room(32, 1).open();
        server.last().read("t/0", 10);
        source.produce();
        assertTrue(source.rows(0).size() < 4, source.rows(0).toString());
        source.snapshot();
        readAll();
        server.partition("t/0", "6f", "7g");
        server.last().read("t/0", 1);
        server.last().read("t/1", 1);
        readAll();
        source.restart();
        server.last().read(10);
        readAll();
        assertEquals(List.of(1, 2, 3, 4, 6, 5, 7), source.rows(0).stream().map(each -> each.get(0)).toList());
    }

    private void readAll() throws Exception {
        for (int k = 0; k < 10; k++) {
            source.produce();
        }
    }

    @Test
    void aBarrierWithinARecordTakesNoRowOfALaterOne() throws Exception {
        format = FileFormat.JSON;
        schema = PAIR;
        server.partition("t/0", "1aaaaaaaaaaaaaaaaaa;2b;3c");
        source = setup().room(32, 1).open();
        server.last().read(10);
        source.produce();
        source.snapshot();
        for (int k = 0; k < 10; k++) {
            source.produce();
        }
        server.partition("t/0", "4d;x", "5e").last().read(10);
        for (int k = 0; k < 10; k++) {
            source.produce();
        }
        assertEquals(List.of(1, 2, 3, 4, 5), source.rows(0).stream().map(each -> each.get(0)).toList());
        assertEquals(1, source.badRecords.size());
    }

    @Test
    void rowsOfARecordThatIsGoneAreNotThoseOfTheNext() throws Exception {
        format = FileFormat.JSON;
        schema = PAIR;
        server.partition("t/0", "1aaaaaaaaaaaaaaaaaa;2b;3c;6f;7g;8h", "4d;5e");
        source = setup().room(32, 1).open();
        server.last().read(10);
        source.produce();
        int before = source.rows(0).size();
        assertTrue(before < 6, before + " rows of the first record");
        source.restart();
        server.last().pass("t/0").read(10);
        for (int k = 0; k < 10; k++) {
            source.produce();
        }
        assertEquals(List.of(4, 5), source.rows(0).stream().map(each -> each.get(0)).skip(before).toList());
    }

    @Test
    void metadataAreColumnsBehindThoseOfTheValue() throws Exception {
        format = FileFormat.CSV;
        schema = PAIR;
        metadata = List.of(new MetadataColumn(FakeServer.KEY, Simple.BINARY),
                new MetadataColumn(FakeServer.NUMBER, Simple.BIGINT), new MetadataColumn(FakeServer.EMPTY, Simple.BOOLEAN),
                new MetadataColumn(FakeServer.HEADERS, MetadataColumn.PAIRS));
        more = List.of(new Column("k", Simple.BINARY, true), new Column("o", Simple.BIGINT, true),
                new Column("gone", Simple.BOOLEAN, true), new Column("h", MetadataColumn.PAIRS, true));
        emptyBy = true;
        server.put("t/0", "key", "1,a").put("t/0", null, null);
        open();
        server.last().read(10);
        source.produce();
        List<Object> headers = List.of(row("a", ByteBuffer.wrap(new byte[] {1, 2})), row("b", null));
        assertEquals(List.of(row(1, "a", ByteBuffer.wrap("key".getBytes(StandardCharsets.UTF_8)), 0L, false, headers),
                row(null, null, null, 1L, true, headers)), source.rows(0));
    }

    @Test
    void badRecordsHaveTheirPlace() throws Exception {
        format = FileFormat.CSV;
        schema = PAIR;
        server.partition("t/0", "1", " ").put("t/0", "k", null).partition("t/0", "1," + "a".repeat(RECORD_BYTES), "2,b");
        open();
        server.last().read(10);
        source.produce();
        assertEquals(List.of(row(2, "b")), source.rows(0));
        assertEquals(4, source.badRecords.size(), source.badRecords.toString());
        assertTrue(source.badRecords.get(0).startsWith("t/0@0: "), source.badRecords.get(0));
        assertTrue(source.badRecords.get(1).startsWith("t/0@1: the record is empty"), source.badRecords.get(1));
        assertTrue(source.badRecords.get(2).startsWith("t/0@2: the record has no value"), source.badRecords.get(2));
        assertTrue(source.badRecords.get(3).startsWith("t/0@3: the record is longer than max_record_bytes=40"),
                source.badRecords.get(3));
    }

    @Test
    void rawRecordsAreTheirBytes() throws Exception {
        format = FileFormat.RAW;
        schema = Schema.of(new Column("value", Simple.BINARY, true));
        server.partition("t/0", "", "ab");
        open();
        server.last().read(10);
        source.produce();
        assertEquals(List.of(row(ByteBuffer.wrap(new byte[0])), row(ByteBuffer.wrap(new byte[] {'a', 'b'}))), source.rows(0));
    }

    @Test
    void aLineWithoutATimeHasThatOfItsArrivalAtTheServer() throws Exception {
        format = FileFormat.INFLUX;
        schema = Schema.of(new Column("time", Simple.TIMESTAMP, true), new Column("n", Simple.INT, true));
        server.partition("t/0", "m n=1i 5000", "m n=2i");
        open();
        server.last().read(10);
        source.produce();
        assertEquals(List.of(row(5L, 1), row(FakeServer.ARRIVED + 1, 2)), source.rows(0));
    }

    @Test
    void theLeastOfThePartitionsIsTheWatermark() throws Exception {
        timed(Never.NEVER);
        server.partition("t/0", "2020-01-01T00:00:10Z,a", "2020-01-01T00:00:20Z,b").partition("t/1", "2020-01-01T00:00:05Z,c")
                .partition("t/2");
        open();
        server.last().read("t/0", 10);
        source.produce();
        assertEquals(List.of(), watermarks());
        server.last().read("t/1", 10);
        source.produce();
        long start = 1_577_836_800L * SECOND;
        assertEquals(List.of(start + 5 * SECOND), watermarks());
        server.partition("t/1", "2020-01-01T00:01:00Z,d").last().read("t/1", 10);
        source.produce();
        assertEquals(List.of(start + 5 * SECOND, start + 20 * SECOND), watermarks());
    }

    private void timed(long idleNanos) {
        format = FileFormat.CSV;
        schema = TIMED;
        time = new EventTime(0, List.of(), 0, idleNanos);
    }

    private List<Long> watermarks() {
        return source.events(0).stream().map(Event::watermark).filter(each -> each != null).toList();
    }

    @Test
    void aSilentPartitionIsNotWaitedFor() throws Exception {
        timed(1_000);
        server.partition("t/0", "2020-01-01T00:00:10Z,a").partition("t/1", "2020-01-01T00:00:05Z,c");
        open();
        server.last().read("t/0", 10);
        source.now = 500;
        assertEquals(1_000, source.produce());
        assertEquals(List.of(), watermarks());
        source.now = 1_000;
        source.produce();
        assertEquals(1, watermarks().size());
    }

    @Test
    void aPartitionWhoseRecordsWaitIsNotSilent() throws Exception {
        timed(1_000);
        server.partition("t/0", "2020-01-01T00:00:10Z,a", "2020-01-01T00:00:20Z,b").partition("t/1", "2020-01-01T00:00:05Z,c");
        source = setup().room(32, 1).open();
        server.last().read("t/0", 1);
        server.last().read("t/0", 1);
        server.last().read("t/1", 1);
        source.produce();
        source.now = 5_000;
        for (int k = 0; k < 10; k++) {
            source.produce();
        }
        assertEquals(1_577_836_805L * SECOND, watermarks().isEmpty() ? null : watermarks().get(0), source.events(0).toString());
        assertEquals(List.of("a", "b", "c"), source.rows(0).stream().map(each -> each.get(1)).toList());
    }

    @Test
    void anInstanceWithoutRecordsIsIdleAtOnce() throws Exception {
        timed(Never.NEVER);
        server.partition("t/0");
        open();
        source.produce();
        assertTrue(source.events(0).get(0).idle());
    }

    @Test
    void watermarksOfPartitionsAreInTheSnapshot() throws Exception {
        timed(Never.NEVER);
        server.partition("t/0", "2020-01-01T00:00:10Z,a").partition("t/1", "2020-01-01T00:00:05Z,c");
        open();
        server.last().read(10);
        source.produce();
        source.restart();
        server.partition("t/1", "2020-01-01T00:00:30Z,d").last().read(10);
        source.produce();
        assertEquals(1_577_836_810L * SECOND, watermarks().get(watermarks().size() - 1));
    }

    @Test
    void atAnotherParallelismEachTakesItsOwn() throws Exception {
        server.partition("t/0", "a").partition("t/1", "b").partition("t/2", "c");
        open();
        server.last().read(10);
        source.produce();
        Map<String, byte[]> snapshot = source.snapshot();
        server.partition("t/0", "d").partition("t/1", "e").partition("t/2", "f");
        List<List<Object>> all = new ArrayList<>();
        for (int instance = 0; instance < 2; instance++) {
            try (OperatorHarness one = setup().instance(instance, 2).restored().open()) {
                one.restart(snapshot, 1);
                server.last().read(10);
                one.produce();
                all.addAll(one.rows(0));
            }
        }
        assertEquals(rows("d", "f", "e"), all);
    }

    @Test
    void itEndsWhereThePartitionsEnd() throws Exception {
        server.bounded = true;
        server.partition("t/0", "a").partition("t/1", "b");
        open();
        assertEquals(Source.WHEN_WOKEN, source.produce());
        server.last().read(1);
        assertEquals(Source.ENDED, source.produce());
        assertEquals(rows("a", "b"), source.rows(0));
    }

    @Test
    void aStopLeavesWhatWaits() throws Exception {
        server.partition("t/0", "a", "b");
        open();
        server.last().read(1);
        source.produce();
        server.last().read(1);
        assertTrue(((Source) source.operator()).stop());
        assertEquals(Source.ENDED, source.produce());
        assertEquals(rows("a"), source.rows(0));
        source.restart();
        server.last().read(10);
        source.produce();
        assertEquals(rows("a", "b"), source.rows(0));
    }

    /** It was not silent, and others wait for what it reads next. */
    @Test
    void aStoppedSourceIsNoIdleOneWhenItGoesOn() throws Exception {
        timed(Never.NEVER);
        server.partition("t/0", "2020-01-01T00:00:10Z,a");
        open();
        server.last().read(10);
        source.produce();
        assertTrue(((Source) source.operator()).stop());
        assertEquals(Source.ENDED, source.produce());
        source.restart();
        source.produce();
        assertTrue(source.events(0).stream().noneMatch(Event::idle), source.events(0).toString());
    }

    @Test
    void aSilentPartitionWithRecordsIsWaitedForWhenTheJobGoesOn() throws Exception {
        timed(1_000);
        server.partition("t/0", "2020-01-01T00:00:10Z,a");
        open();
        server.last().read(10);
        source.produce();
        source.now = 1_000;
        source.produce();
        assertEquals(1, source.events(0).stream().filter(Event::idle).count());
        server.partition("t/0", "2020-01-01T00:00:20Z,b");
        source.restart();
        source.produce();
        assertEquals(1, source.events(0).stream().filter(Event::idle).count());
    }

    @Test
    void whatTheReaderCannotDoFailsTheJob() throws Exception {
        server.partition("t/0", "a");
        open();
        IOException gone = new IOException("gone");
        server.last().host.failed(gone);
        assertSame(gone, assertThrows(IOException.class, () -> source.produce()));
    }

    @Test
    void acknowledgedIsThePositionOfTheEpoch() throws Exception {
        server.partition("t/0", "a", "b");
        open();
        Source operator = (Source) source.operator();
        server.last().read(1);
        source.produce();
        operator.barrier(1);
        server.last().read(1);
        source.produce();
        operator.barrier(2);
        operator.acknowledge(1);
        assertEquals(List.of(Map.of("t/0", "1")), server.acknowledged);
        operator.acknowledge(2);
        operator.acknowledge(2);
        assertEquals(List.of(Map.of("t/0", "1"), Map.of("t/0", "2")), server.acknowledged);
    }

    @Test
    void withoutRoomNothingMoreIsRead() throws Exception {
        server.partition("t/0", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
        open();
        assertEquals(3000, source.stateBytes);
        server.last().read(10);
        assertFalse(server.last().host.hasRoom());
        List<String> resumed = new ArrayList<>();
        server.last().host.whenRoom(() -> resumed.add("now"));
        assertEquals(List.of(), resumed);
        source.produce();
        assertEquals(List.of("now"), resumed);
    }
}
