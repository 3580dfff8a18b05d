package io.despina.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.ExpressionHandler;
import io.delta.kernel.engine.FileReadRequest;
import io.delta.kernel.engine.FileSystemClient;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.engine.ParquetHandler;
import io.delta.kernel.expressions.Predicate;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeltaTableTest {
    private static final String SCHEMA = "{\"type\":\"struct\",\"fields\":["
            + "{\"name\":\"%s\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}";
    private static final String BOX = "box";
    private static final int EPOCHS = 6;
    private static final int CHECKPOINTS = 10;

    /** What others do at the same moment. */
    private interface Others {
        void act() throws IOException;
    }

    @TempDir
    private Path folder;
    private final List<String> warnings = new ArrayList<>();
    private final Meanwhile engine = new Meanwhile();
    private int names;

    /** Lets others do something before a version is written, or before the log is listed so many times more. */
    private static final class Meanwhile implements Engine, JsonHandler, FileSystemClient {
        private final Engine own = LogEngine.local();
        private Others beforeWrite;
        private Others beforeList;
        private int lists;

        private static void act(Others what) throws IOException {
            if (what != null) {
                what.act();
            }
        }

        @Override
        public ExpressionHandler getExpressionHandler() {
            return own.getExpressionHandler();
        }

        @Override
        public JsonHandler getJsonHandler() {
            return this;
        }

        @Override
        public FileSystemClient getFileSystemClient() {
            return this;
        }

        @Override
        public ParquetHandler getParquetHandler() {
            return own.getParquetHandler();
        }

        @Override
        public ColumnarBatch parseJson(ColumnVector text, StructType schema, Optional<ColumnVector> selected) {
            return own.getJsonHandler().parseJson(text, schema, selected);
        }

        @Override
        public CloseableIterator<ColumnarBatch> readJsonFiles(CloseableIterator<FileStatus> files, StructType schema,
                Optional<Predicate> predicate) throws IOException {
            return own.getJsonHandler().readJsonFiles(files, schema, predicate);
        }

        @Override
        public void writeJsonFileAtomically(String file, CloseableIterator<Row> rows, boolean overwrite) throws IOException {
            Others what = file.endsWith(".json") ? beforeWrite : null;
            beforeWrite = what == null ? beforeWrite : null;
            act(what);
            own.getJsonHandler().writeJsonFileAtomically(file, rows, overwrite);
        }

        @Override
        public CloseableIterator<FileStatus> listFrom(String file) throws IOException {
            lists--;
            act(lists == 0 ? beforeList : null);
            return own.getFileSystemClient().listFrom(file);
        }

        @Override
        public String resolvePath(String path) throws IOException {
            return own.getFileSystemClient().resolvePath(path);
        }

        @Override
        public CloseableIterator<ByteArrayInputStream> readFiles(CloseableIterator<FileReadRequest> requests)
                throws IOException {
            return own.getFileSystemClient().readFiles(requests);
        }

        @Override
        public boolean mkdirs(String path) throws IOException {
            return own.getFileSystemClient().mkdirs(path);
        }

        @Override
        public boolean delete(String path) throws IOException {
            return own.getFileSystemClient().delete(path);
        }
    }

    private ConnectorSettings settings(String column) {
        return new ConnectorSettings(Map.of("path", folder.toString(), "schema", SCHEMA.formatted(column)));
    }

    private DeltaTable table() throws IOException {
        DeltaTable table = new DeltaTable(settings("n"), warnings::add, engine);
        table.open();
        return table;
    }

    private List<DataFile> file(DeltaTable table) throws IOException {
        try (TableFile made = table.create("part-" + names++)) {
            return List.of(made.end(1, List.of()));
        }
    }

    /** The lines of a version that begin with that action. */
    private long actions(long version, String action) throws IOException {
        try (var lines = Files.lines(folder.resolve("_delta_log/%020d.json".formatted(version)))) {
            return lines.filter(each -> each.startsWith("{\"" + action + "\"")).count();
        }
    }

    private boolean isThere(long version) {
        return Files.exists(folder.resolve("_delta_log/%020d.json".formatted(version)));
    }

    @Test
    @ConnectorCase("delta: others")
    void anotherWriterThatComesBetweenInEachEpochCostsNoFile() throws IOException {
        DeltaTable table = table();
        DeltaTable other = new DeltaTable(settings("n"), warnings::add);
        for (long epoch = 1; epoch <= EPOCHS; epoch++) {
            engine.beforeWrite = () -> {
                other.open();
                other.append(null, 0, file(other));
            };
            table.append(BOX, epoch, file(table));
            assertEquals(epoch, table.epoch(BOX).orElseThrow());
        }
        for (long version = 0; version < 2 * EPOCHS; version++) {
            assertEquals(1, actions(version, "add"), "version " + version);
            assertEquals(version % 2, actions(version, "txn"), "version " + version);
        }
        for (long version = CHECKPOINTS; version < 2 * EPOCHS; version += CHECKPOINTS) {
            assertTrue(Files.exists(folder.resolve("_delta_log/%020d.checkpoint.parquet".formatted(version))));
        }
        assertEquals(List.of(), warnings);
    }

    @Test
    @ConnectorCase("delta: changed")
    void columnsThatChangeBetweenTheLookAndTheTransactionAreLookedAt() throws IOException {
        DeltaTable table = table();
        table.append(BOX, 1, file(table));
        engine.lists = 0;
        table.open();
        engine.lists = 1 - engine.lists;        // those of one look, and then the kernel's own
        engine.beforeList = () -> Files.writeString(folder.resolve("_delta_log/%020d.json".formatted(1)), """
                {"metaData":{"id":"a","format":{"provider":"parquet","options":{}},"schemaString":"%s","partitionColumns":[],\
                "configuration":{},"createdTime":0}}
                """.formatted(SCHEMA.formatted("m").replace("\"", "\\\"")));
        List<DataFile> files = file(table);
        assertTrue(assertThrows(RefusedException.class, () -> table.append(BOX, 2, files)).getMessage()
                .contains("no column `n`"));
        assertTrue(isThere(1) && !isThere(2));
    }

    @Test
    @ConnectorCase("delta: copies")
    void anOlderCopyOfAStateIsRefused() throws IOException {
        DeltaTable table = table();
        assertEquals(Marker.ABSENT, table.marker(BOX, 5));
        table.append(BOX, 5, file(table));
        assertEquals(Marker.THERE, table.marker(BOX, 5));
        assertEquals(Marker.ABSENT, table.marker(BOX, 6));
        assertTrue(assertThrows(RefusedException.class, () -> table.marker(BOX, 4)).getMessage()
                .contains("has its epoch 5: the state folder is an older copy"));
    }
}
