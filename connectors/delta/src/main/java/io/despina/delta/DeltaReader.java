package io.despina.delta;

import io.delta.kernel.Table;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.TableNotFoundException;
import io.delta.kernel.internal.DeltaLogActionUtils.DeltaAction;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.deletionvectors.DeletionVectorUtils;
import io.delta.kernel.internal.types.DataTypeJsonSerDe;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.internal.util.VectorUtils;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Reads versions of a Delta table. */
final class DeltaReader implements LakeReader {
    private static final String ADD = DeltaAction.ADD.colName;
    private static final String REMOVE = DeltaAction.REMOVE.colName;
    private static final String METADATA = DeltaAction.METADATA.colName;
    private static final String PROTOCOL = DeltaAction.PROTOCOL.colName;
    /** Of a version's own file. The kernel's {@code getChanges} fails where a writer says less of itself than Spark does. */
    private static final StructType ACTIONS = new StructType(Stream.of(DeltaAction.ADD, DeltaAction.REMOVE, DeltaAction.METADATA,
            DeltaAction.PROTOCOL).map(each -> new StructField(each.colName, each.schema, true)).toList());
    private static final String DATA_CHANGE = "dataChange";
    /** How often the whole log is looked at, while a version that comes next is waited for: it may have been removed already. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** A file as the log has it. */
    private record Added(String path, long modified, Map<String, String> values, DeletionVectorDescriptor gone) {
        static Added of(AddFile file) {
            return new Added(file.getPath(), file.getModificationTime(), VectorUtils.toJavaMap(file.getPartitionValues()),
                    file.getDeletionVector().orElse(null));
        }
    }

    private final String path;
    private final TableFolder folder;
    private final Engine engine;
    /** Null before it is looked at. */
    private Table table;
    /** Of the stream; null where it is only asked for the table's. */
    private final StructType own;
    /** The version to begin with; else it is the newest. */
    private final OptionalLong chosen;
    /** Null as long as no version was looked at. */
    private ReadColumns columns;
    private String identity = "";
    /** The file of the version that was read last, as far as the disk tells one from another; null for none. */
    private Object lastFile;
    /** The newest version that is known of. */
    private long newest = -1;
    private long looked;

    DeltaReader(ConnectorSettings settings) {
        path = settings.text("path");
        folder = TableFolder.of(path);
        engine = folder.engine();
        own = settings.has("schema") ? DataTypeJsonSerDe.deserializeStructType(settings.text("schema")) : null;
        chosen = settings.has("version") ? OptionalLong.of(settings.whole("version")) : OptionalLong.empty();
    }

    /** What the kernel is asked. */
    private interface Asking<T> {
        T ask() throws IOException;
    }

    private <T> T ask(Asking<T> what) throws IOException {
        try {
            return what.ask();
        } catch (TableNotFoundException none) {
            throw new RefusedException("there is no Delta table at `path` " + path, none);
        } catch (IOException | RuntimeException why) {
            throw Words.of(path, why);
        }
    }

    private Table table() {
        if (table == null) {
            table = Table.forPath(engine, path);
        }
        return table;
    }

    private long newest() throws IOException {
        newest = ask(() -> table().getLatestSnapshot(engine).getVersion());
        looked = System.nanoTime();
        return newest;
    }

    @Override
    public long first() throws IOException {
        return chosen.isPresent() ? chosen.getAsLong() : newest();
    }

    @Override
    public VersionFiles all(long version) throws IOException {
        return ask(() -> {
            SnapshotImpl snapshot = snapshot(version);
            lastFile = folder.stamp(version);
            List<Added> found = new ArrayList<>();
            try (CloseableIterator<FilteredColumnarBatch> batches = snapshot.getScanBuilder().build().getScanFiles(engine)) {
                while (batches.hasNext()) {
                    try (CloseableIterator<Row> rows = batches.next().getRows()) {
                        rows.forEachRemaining(row -> found.add(Added.of(new AddFile(struct(row, ADD)))));
                    }
                }
            }
            return files(found, false);
        });
    }

    /** A version, whose columns are looked at. */
    private SnapshotImpl snapshot(long version) throws RefusedException {
        SnapshotImpl found = (SnapshotImpl) table().getSnapshotAsOfVersion(engine, version);
        columns = ReadColumns.of(path, found, own);
        identity = found.getMetadata().getId();
        return found;
    }

    @Override
    public String identity() {
        return identity;
    }

    /** Null if the row has no such action. */
    private static Row struct(Row row, String name) {
        int column = row.getSchema().indexOf(name);
        return row.isNullAt(column) ? null : row.getStruct(column);
    }

    /** In the order in which they were made, as far as the log tells. */
    private VersionFiles files(List<Added> added, boolean changes) throws RefusedException {
        added.sort(Comparator.comparingLong(Added::modified).thenComparing(Added::path));
        List<VersionFile> files = new ArrayList<>();
        ReadColumns of = columns;
        for (Added each : added) {
            Map<Integer, String> values = new HashMap<>();
            of.partitions().forEach((column, name) -> values.put(column, value(each.values.get(name))));
            files.add(new VersionFile(folder.address(each.path), of::names, values,
                    each.gone == null ? null : () -> gone(each.gone)));
        }
        return new VersionFiles(files, changes);
    }

    /** An empty text is NULL. */
    private static String value(String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private GoneRows gone(DeletionVectorDescriptor vector) throws IOException {
        return ask(() -> DeletionVectorUtils.loadNewDvAndBitmap(engine, table().getPath(engine), vector)._2::contains);
    }

    @Override
    public VersionFiles added(long version) throws IOException {
        if (!isThere(version)) {
            return null;
        }
        if (!ask(() -> folder.has(version))) {
            throw new RefusedException("`path` " + path + " has version " + newest + ", and no longer what version " + version
                    + " has added, which was to be read next: its log keeps versions for a time "
                    + "(delta.logRetentionDuration). A new state folder begins with the table as it is", null);
        }
        return ask(() -> changes(version));
    }

    private boolean isThere(long version) throws IOException {
        if (version > newest && ask(() -> folder.has(version))) {
            newest = version;
        } else if (version > newest && (newest < 0 || System.nanoTime() - looked > LOOK_NANOS)) {
            newest();
        }
        return version <= newest;
    }

    private VersionFiles changes(long version) throws IOException {
        List<Added> found = new ArrayList<>();
        boolean changes = false;
        // its file before may be another table's
        boolean isOther = columns == null || lastFile == null || !lastFile.equals(folder.stamp(version - 1));
        FileStatus file = FileStatus.of(table().getPath(engine) + "/" + TableFolder.LOG + "/" + TableFolder.commit(version),
                0, 0);
        try (CloseableIterator<ColumnarBatch> batches = engine.getJsonHandler().readJsonFiles(
                Utils.toCloseableIterator(List.of(file).iterator()), ACTIONS, Optional.empty())) {
            while (batches.hasNext()) {
                try (CloseableIterator<Row> rows = batches.next().getRows()) {
                    while (rows.hasNext()) {
                        Row row = rows.next();
                        Row add = struct(row, ADD);
                        if (add != null && isOfRows(add)) {
                            found.add(Added.of(new AddFile(add)));
                        }
                        Row remove = struct(row, REMOVE);
                        changes |= remove != null && isOfRows(remove);
                        isOther |= struct(row, METADATA) != null || struct(row, PROTOCOL) != null;
                    }
                }
            }
        }
        if (isOther) {
            snapshot(version);
        }
        lastFile = folder.stamp(version);
        return files(found, changes);
    }

    /** Not, if the same rows have only come into other files. */
    private static boolean isOfRows(Row action) {
        int column = action.getSchema().indexOf(DATA_CHANGE);
        return action.isNullAt(column) || action.getBoolean(column);
    }

    /** Those of the version to begin with, as Spark's JSON. */
    String columns() throws IOException {
        long version = first();
        return ask(() -> DataTypeJsonSerDe.serializeDataType(table().getSnapshotAsOfVersion(engine, version).getSchema()));
    }

    /** For users. */
    String words() throws IOException {
        long version = first();
        VersionFiles found = all(version);
        return "table " + path + " (version " + version + ", files: " + found.files().size() + ")";
    }

    @Override
    public void close() {
        // nothing stays open
    }
}
