package io.despina.iceberg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.RefusedException;
import io.despina.expr.Expressions;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.OperatorHarness;
import io.despina.operator.connect.LakeSink;
import io.despina.operator.connect.LakeSinkOptions;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that take the place of others, as Iceberg's own reader finds them. */
class IcebergUpsertTest {
    private static final String BOX = "box";
    private static final Schema ROW = Schema.of(new Column("place", Simple.STRING, true), new Column("id", Simple.BIGINT, true),
            new Column("value", Simple.INT, true));
    private static final List<Integer> KEYS = List.of(0, 1);
    private static final int EPOCHS = 8;
    private static final int ROWS = 60;
    private static final int IDS = 25;

    @TempDir
    private Path folder;

    private ConnectorSettings settings(String... partitions) {
        Map<String, Object> settings = new HashMap<>(Map.of("path", folder.toString(), "schema", Expressions.parquetSchema(ROW),
                "keys", List.of("place", "id")));
        if (partitions.length > 0) {
            settings.put("partition_by", List.of(partitions));
        }
        return new ConnectorSettings(settings);
    }

    private OperatorHarness sink(ConnectorSettings settings) throws Exception {
        return OperatorHarness.of(() -> new LakeSink(new LakeSinkOptions(IcebergConnector::new, settings,
                Expressions::parquetSchema, (out, schema) -> Expressions.parquetWriter(out, new FileRowsWriter.Options(schema,
                        Map.of(), "UTC", true)), KEYS, new LakeSinkOptions.Roll(60_000, 60_000)))).inputs(ROW).outputs(ROW)
                .skippingBadRecords().open();
    }

    private BaseTable known() throws IOException {
        TableFolder found = new TableFolder(folder.toString());
        found.look();
        return new BaseTable(found, "table");
    }

    private Map<String, Integer> read() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        try (CloseableIterable<Record> rows = IcebergGenerics.read(known()).build()) {
            for (Record each : rows) {
                Integer twice = found.put(each.getField("place") + "/" + each.getField("id"), (Integer) each.getField("value"));
                assertEquals(null, twice, "a key is there twice: " + each);
            }
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "place", "bucket(3, id)"})
    void theNewestRowOfEachKeyIsThere(String partition) throws Exception {
        Random chance = new Random(7);
        Map<String, Integer> expected = new TreeMap<>();
        OperatorHarness sink = sink(partition.isEmpty() ? settings() : settings(partition));
        for (long epoch = 1; epoch <= EPOCHS; epoch++) {
            ((LakeSink) sink.operator()).begin(BOX, epoch);
            for (int k = 0; k < ROWS; k++) {
                String place = chance.nextBoolean() ? "north" : "south";
                long id = chance.nextInt(IDS);
                sink.feedRow(0, place, id, k);
                expected.put(place + "/" + id, k);
            }
            sink.release();
            assertEquals(expected, read(), "epoch " + epoch);
        }
        assertEquals(EPOCHS, known().currentSnapshot().sequenceNumber(), "an epoch is a snapshot");
        sink.close();
    }

    /** As when the memory is full within an epoch. */
    @Test
    void ofSeveralFilesOfAnEpochTheLastOneCounts() throws Exception {
        IcebergTable table = new IcebergTable(settings());
        table.open();
        OperatorHarness sink = sink(settings());
        ((LakeSink) sink.operator()).begin(BOX, 1);
        sink.feedRow(0, "north", 1L, 1).feedRow(0, "north", 2L, 1);
        sink.release();
        ((LakeSink) sink.operator()).begin(BOX, 2);
        int rows = (1 << 19) + 1;       // so many are in one file at most
        for (int k = 0; k < rows; k++) {
            sink.feedRow(0, "north", 1L, k);
        }
        sink.release();
        assertEquals(Map.of("north/1", rows - 1, "north/2", 1), read());
        assertEquals(3, known().currentSnapshot().sequenceNumber(), "two snapshots");
        assertEquals("2", known().properties().get("despina.epoch." + BOX), "of one version");
        sink.close();
    }

    @Test
    @ConnectorCase("iceberg: bad")
    void aRowWithoutAKeyIsABadOne() throws Exception {
        OperatorHarness sink = sink(settings());
        ((LakeSink) sink.operator()).begin(BOX, 1);
        sink.feedRow(0, "north", null, 1).feedRow(0, "north", 2L, 1);
        sink.release();
        assertEquals(Map.of("north/2", 1), read());
        assertEquals(1, sink.badRecords.size());
        assertEquals("key `id` is NULL", sink.badRecords.get(0));
        sink.close();
    }

    @Test
    void rowsOfOtherPartitionsCannotBeReplaced() throws Exception {
        OperatorHarness sink = sink(settings("place"));
        ((LakeSink) sink.operator()).begin(BOX, 1);
        sink.feedRow(0, "north", 2L, 1);
        sink.release();
        sink.close();
        ConnectorSettings byId = settings().with("keys", List.of("id"));
        known().updateSpec().addField("id").commit();
        assertEquals("`path` " + folder + " was partitioned in another way before: earlier rows of a key may be in files of that "
                + "time, which a file of keys does not reach", assertThrows(RefusedException.class, () -> new IcebergTable(
                        settings()).open()).getMessage());
        assertEquals("`path` " + folder + " is partitioned by [place], which are none of `keys`: earlier rows of a key may be in "
                + "other partitions", assertThrows(RefusedException.class, () -> new IcebergTable(byId).open()).getMessage());
    }
}
