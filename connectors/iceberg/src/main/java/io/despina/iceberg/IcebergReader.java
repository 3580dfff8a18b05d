package io.despina.iceberg;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * Reads an Iceberg table. The version of a snapshot is its sequence number: they grow by one with
 * each snapshot of any branch. 0 is the table without one.
 */
final class IcebergReader implements LakeReader {
    /** Older ones number no snapshots. */
    private static final int LEAST_FORMAT = 2;
    private static final String CHOSEN = "snapshot_id";

    private final ConnectorSettings settings;
    private final TableHome home;
    /** Of the stream; null where it is only asked for the table's. */
    private final Types.StructType own;

    IcebergReader(ConnectorSettings settings) {
        this.settings = settings;
        home = Catalogs.home(settings);
        own = settings.has("schema") ? StreamTypes.of(settings.text("schema")) : null;
    }

    /** Those of the newest version, as Spark's JSON. */
    String columns() throws IOException {
        return ask(table -> StreamTypes.json(table.schema().asStruct()));
    }

    /** What Iceberg is asked of the newest version of the table. */
    private interface Asking<T> {
        T ask(TableMetadata table) throws IOException;
    }

    private <T> T ask(Asking<T> what) throws IOException {
        try {
            TableMetadata table = home.look();
            if (table == null) {
                throw refused(settings.has("catalog") ? "is not in the catalog"
                        : "is no Iceberg table: there is no metadata/v1.metadata.json in it, nor a later one");
            }
            if (table.formatVersion() < LEAST_FORMAT) {
                throw refused("is of Iceberg's format " + table.formatVersion() + ", whose snapshots have no numbers: "
                        + "that is not read yet");
            }
            return what.ask(table);
        } catch (IOException | RuntimeException why) {
            throw Words.of(home.title(), why);
        }
    }

    @Override
    public String identity() {
        return home.current().uuid();
    }

    private RefusedException refused(String why) {
        return new RefusedException(home.title() + " " + why, null);
    }

    @Override
    public long first() throws IOException {
        return ask(table -> {
            Snapshot chosen = settings.has(CHOSEN) ? table.snapshot(settings.whole(CHOSEN)) : table.currentSnapshot();
            if (chosen == null && settings.has(CHOSEN)) {
                throw refused("has no snapshot " + settings.whole(CHOSEN) + ", or no longer");
            }
            if (chosen != null && chosen.sequenceNumber() == 0) {
                throw refused("has snapshot " + chosen.snapshotId() + " from when it was of format 1, which has no number: "
                        + "that is not read yet");
            }
            return chosen == null ? 0 : chosen.sequenceNumber();
        });
    }

    @Override
    public VersionFiles all(long version) throws IOException {
        return ask(table -> {
            Snapshot snapshot = table.snapshots().stream().filter(each -> each.sequenceNumber() == version).findFirst()
                    .orElse(null);
            if (snapshot == null && version > 0) {
                throw expired(version);
            }
            List<NestedField> columns = columns(table, snapshot);
            List<DataFile> found = new ArrayList<>();
            if (snapshot != null) {
                try (CloseableIterable<FileScanTask> tasks = new BaseTable(home, home.title()).newScan()
                        .useSnapshot(snapshot.snapshotId()).planFiles()) {
                    for (FileScanTask each : tasks) {
                        if (!each.deletes().isEmpty()) {
                            throw refused("has files that say which rows are gone (merge-on-read), which are not read yet");
                        }
                        found.add(each.file());
                    }
                }
            }
            return files(table, columns, found, false);
        });
    }

    private RefusedException expired(long version) {
        return refused("has no longer the snapshot with number " + version + ", which was to be read next: snapshots expire "
                + "(expire_snapshots). A new state folder begins with the table as it is");
    }

    @Override
    public VersionFiles added(long version) throws IOException {
        return ask(table -> {
            Snapshot snapshot = table.currentSnapshot();
            if (snapshot == null || snapshot.sequenceNumber() < version) {
                return null;
            }
            while (snapshot != null && snapshot.sequenceNumber() > version) {
                Long parent = snapshot.parentId();
                snapshot = parent == null ? null : table.snapshot(parent);
                if (parent != null && snapshot == null) {
                    throw expired(version);
                }
            }
            boolean isElsewhere = snapshot == null || snapshot.sequenceNumber() < version;
            return isElsewhere || DataOperations.REPLACE.equals(snapshot.operation()) ? new VersionFiles(List.of(), false)
                    : changes(table, snapshot);
        });
    }

    private VersionFiles changes(TableMetadata table, Snapshot snapshot) throws IOException {
        SnapshotChanges changes = SnapshotChanges.builderFor(new BaseTable(home, home.title())).snapshot(snapshot).build();
        List<DataFile> added = new ArrayList<>();
        changes.addedDataFiles().forEach(added::add);
        return files(table, columns(table, snapshot), added, changes.removedDataFiles().iterator().hasNext()
                || changes.addedDeleteFiles().iterator().hasNext());
    }

    /** The table's columns for those of the stream. */
    private List<NestedField> columns(TableMetadata table, Snapshot snapshot) throws RefusedException {
        Schema schema = snapshot == null || snapshot.schemaId() == null ? table.schema()
                : table.schemasById().get(snapshot.schemaId());
        List<NestedField> found = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (NestedField each : own.fields()) {
            NestedField column = schema.columns().stream().filter(one -> StreamTypes.lower(one.name())
                    .equals(StreamTypes.lower(each.name()))).findFirst().orElse(null);
            if (column == null) {
                problems.add("no column `" + each.name() + "`");
            } else if (!StreamTypes.isSame(column.type(), each.type())) {
                problems.add("`" + each.name() + "` as " + column.type() + ", and `schema` as " + each.type());
            } else if (column.initialDefault() != null) {
                problems.add("a default for `" + each.name() + "` in older files, which is not read yet");
            }
            found.add(column);
        }
        if (!problems.isEmpty()) {
            throw refused((snapshot == null ? "" : "(snapshot " + snapshot.snapshotId() + ") ") + "has "
                    + String.join("; ", problems));
        }
        return found;
    }

    /** In the order in which they came, and by their names where they came together. */
    private VersionFiles files(TableMetadata table, List<NestedField> columns, List<DataFile> found, boolean changes)
            throws RefusedException {
        found.sort(Comparator.comparing(DataFile::dataSequenceNumber, Comparator.nullsFirst(Comparator.naturalOrder()))
                .thenComparing(DataFile::location));
        String names = table.properties().get(TableProperties.DEFAULT_NAME_MAPPING);
        NameMapping mapping = names == null ? null : NameMappingParser.fromJson(names);
        List<VersionFile> files = new ArrayList<>();
        for (DataFile each : found) {
            if (each.format() != FileFormat.PARQUET) {
                throw refused("has files of the format " + each.format() + ", which are not read yet: " + each.location());
            }
            FileColumns of = new FileColumns(home.title(), columns, mapping, home.io().newInputFile(each.location()));
            files.add(new VersionFile(home.address(each.location()), of, values(table.spec(each.specId()), columns, each), null));
        }
        return new VersionFiles(files, changes);
    }

    /** Files that were not written for a table may lack the columns that it is partitioned by. */
    private static Map<Integer, String> values(PartitionSpec spec, List<NestedField> columns, DataFile file) {
        Map<Integer, String> values = new HashMap<>();
        for (int k = 0; k < spec.fields().size(); k++) {
            PartitionField field = spec.fields().get(k);
            for (int column = 0; column < columns.size(); column++) {
                Type type = columns.get(column).type();
                if (columns.get(column).fieldId() == field.sourceId() && field.transform().isIdentity()
                        && StreamTypes.canDivide(type)) {
                    Object value = file.partition().get(k, Object.class);
                    values.put(column, value == null ? null : type.typeId() == Type.TypeID.DATE
                            ? LocalDate.ofEpochDay((Integer) value).toString() : value.toString());
                }
            }
        }
        return values;
    }

    /** For users. */
    String words() throws IOException {
        long version = first();
        return "table " + home.plainTitle() + " (snapshot number " + version + ", files: " + all(version).files().size() + ")";
    }

    @Override
    public void close() throws IOException {
        home.close();
    }
}
