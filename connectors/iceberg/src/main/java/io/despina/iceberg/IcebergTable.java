package io.despina.iceberg;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeTable;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import io.despina.iceberg.TableHome.Placed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * An Iceberg table. The mark of an epoch is a property of the table, made with the version that takes
 * the epoch's files in: unlike the summary of a snapshot, it does not expire.
 */
final class IcebergTable implements LakeTable {
    /** While others come first. */
    private static final int MOST_TRIES = 100;
    /** Older ones have no files that say which rows are gone. */
    private static final int LEAST_FORMAT = 2;
    private static final String MARK = "despina.epoch.";
    private static final String OUTBOX = "despina.outbox";
    private static final String EPOCH = "despina.epoch";

    private final ConnectorSettings settings;
    private final TableHome home;
    /** Of the stream; null where nothing is written. */
    private final Types.StructType own;
    /** Columns that say which row another one takes the place of; none if each is added. */
    private final List<String> keys;
    private Shape shape;
    /** Of {@link #shape}. */
    private PartitionSpec spec;

    IcebergTable(ConnectorSettings settings) {
        this(settings, Catalogs.home(settings));
    }

    IcebergTable(ConnectorSettings settings, TableHome home) {
        this.settings = settings;
        this.home = home;
        keys = settings.has("keys") ? settings.texts("keys") : List.of();
        own = settings.has("schema") ? StreamTypes.of(settings.text("schema")) : null;
    }

    private TableMetadata look() throws IOException {
        try {
            return home.look();
        } catch (IOException | RuntimeException why) {
            throw Words.of(home.title(), why);
        }
    }

    @Override
    public Shape open() throws IOException {
        TableMetadata known = look();
        List<String> wanted = settings.has("partition_by") ? settings.texts("partition_by") : null;
        if (known == null) {
            spec = created();
            shape = new Shape(Partitions.written(spec), true, Set.of());
            return shape;
        }
        String problem = problem(known);
        if (problem != null) {
            throw new RefusedException(home.title() + " " + problem, null);
        }
        List<Partition> partitions = Partitions.written(known.spec());
        List<String> words = partitions.stream().map(Partitions::words).toList();
        if (wanted != null && !wanted.equals(words)) {
            throw new RefusedException(home.title() + " is partitioned by " + words + ", and `partition_by` is " + wanted, null);
        }
        String unfit = keys.isEmpty() ? null : unfit(known, partitions);
        if (unfit != null) {
            throw new RefusedException(home.title() + " " + unfit, null);
        }
        spec = known.spec();
        shape = new Shape(partitions, true, known.schema().columns().stream().filter(NestedField::isRequired)
                .map(NestedField::name).collect(Collectors.toSet()));
        return shape;
    }

    /** Why no row of the table can be replaced by its key; null if they can. */
    private String unfit(TableMetadata known, List<Partition> partitions) {
        List<String> others = partitions.stream().map(Partition::column).filter(each -> !keys.contains(each)).toList();
        if (known.formatVersion() < LEAST_FORMAT) {
            return "is of Iceberg's format " + known.formatVersion() + ", in which no row can be replaced";
        }
        if (!others.isEmpty()) {
            return "is partitioned by " + others + ", which are none of `keys`: earlier rows of a key may be in other "
                    + "partitions";
        }
        return known.spec().isPartitioned() && known.specs().size() > 1 ? "was partitioned in another way before: earlier rows "
                + "of a key may be in files of that time, which a file of keys does not reach" : null;
    }

    /** How a table is partitioned that is not there yet. */
    private PartitionSpec created() throws IOException {
        try {
            return Partitions.of(new Schema(own.fields()), settings.has("partition_by") ? settings.texts("partition_by")
                    : List.of());
        } catch (RuntimeException why) {
            throw Words.of(home.title(), why);
        }
    }

    @Override
    public String transformed(int partition, Object value) {
        PartitionField field = spec.fields().get(partition);
        return Partitions.text(field.transform(), spec.schema().findType(field.sourceId()), value);
    }

    /** Why the stream's rows are none of the table; null if they are. */
    private String problem(TableMetadata known) {
        Types.StructType columns = known.schema().asStruct();
        List<String> problems = new ArrayList<>();
        for (NestedField each : own.fields()) {
            NestedField found = columns.field(each.name());
            if (found == null) {
                problems.add("no column `" + each.name() + "`");
            } else if (!StreamTypes.isSame(found.type(), each.type())) {
                problems.add("`" + each.name() + "` as " + found.type() + ", and the stream as " + each.type());
            } else if (StreamTypes.needsMore(found.type())) {
                problems.add("something within `" + each.name() + "` that may not be NULL, which is not written yet");
            }
        }
        for (NestedField each : columns.fields()) {
            if (own.field(each.name()) == null && (each.isRequired() || each.writeDefault() != null)) {
                problems.add("`" + each.name() + "`, which " + (each.isRequired() ? "may not be NULL" : "has a default")
                        + ", and the stream has not");
            }
        }
        known.spec().fields().stream().map(each -> problem(columns, each)).filter(each -> each != null).forEach(problems::add);
        return problems.isEmpty() ? null : "has " + String.join("; ", problems);
    }

    private String problem(Types.StructType columns, PartitionField field) {
        NestedField source = columns.field(field.sourceId());
        if (source == null || !Partitions.isWritten(field, source.type())) {
            return "a partition `" + field.name() + "`, which is not written yet: " + field.transform() + " of "
                    + (source == null ? "what is within a column" : "`" + source.name() + "`, " + source.type());
        }
        return own.field(source.name()) == null ? "`" + source.name() + "`, which it is partitioned by, and the stream has not"
                : null;
    }

    /** For users: which table it is. */
    String plainTitle() {
        return home.plainTitle();
    }

    /** For users. */
    String words() {
        return home.current() == null ? "there is no table at " + home.plainTitle() + " yet" : "table "
                + home.plainTitle() + " (" + home.newest() + (shape.partitions().isEmpty() ? ")"
                : ", partitioned by " + shape.partitions().stream().map(Partitions::words).collect(Collectors.joining(", "))
                + ")");
    }

    /** The last epoch of an outbox. */
    OptionalLong epoch(String outbox) throws IOException {
        return epoch(look(), outbox);
    }

    private OptionalLong epoch(TableMetadata known, String outbox) throws RefusedException {
        String found = known == null ? null : known.properties().get(MARK + outbox);
        try {
            return found == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(found));
        } catch (NumberFormatException edited) {
            throw new RefusedException(home.title() + " has the property " + MARK + outbox + "=" + found
                    + ", which is no number of an epoch", edited);
        }
    }

    @Override
    public Marker marker(String outbox, long epoch) throws IOException {
        long last = epoch(outbox).orElse(0);
        if (last > epoch) {
            throw RefusedException.olderState(outbox, epoch, home.title() + " has its epoch " + last);
        }
        return last == epoch ? Marker.THERE : Marker.ABSENT;
    }

    @Override
    public TableFile create(String name) throws IOException {
        return home.create(name);
    }

    @Override
    public void drop(List<DataFile> files) {
        home.forget(files);
    }

    /** What is tried again as long as others come first. */
    private interface Version {
        void make() throws IOException;
    }

    private void made(Version version) throws IOException {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                version.make();
                return;
            } catch (AnotherFirstException | AlreadyExistsException another) {
                // look again
            } catch (IOException | RuntimeException why) {
                throw Words.of(home.title(), why);
            }
        }
        throw new LostException(home.title() + ": others always come first", null);
    }

    /** Removes marks. */
    void forget(List<String> outboxes) throws IOException {
        made(() -> {
            if (look() != null) {
                Transaction transaction = home.begin(home.current().schema(), home.current().spec());
                UpdateProperties properties = transaction.updateProperties();
                outboxes.forEach(each -> properties.remove(MARK + each));
                properties.commit();
                transaction.commitTransaction();
            }
        });
    }

    @Override
    public void append(String outbox, long epoch, List<DataFile> files) throws IOException {
        Shape written = shape;
        Schema[] stamped = {null};
        List<Placed> placed = new ArrayList<>();
        made(() -> {
            open();         // others may have changed it
            if (!shape.equals(written)) {
                throw new LostException(home.title() + " has other partitions or rights of NULL than it had", null);
            }
            if (outbox != null && epoch(home.current(), outbox).orElse(0) >= epoch) {
                throw new LostException(home.title() + " has epoch " + epoch + " of " + outbox + " already", null);
            }
            Transaction transaction = home.begin(new Schema(own.fields()), spec);
            Table table = transaction.table();
            if (stamped[0] == null || !stamped[0].sameSchema(table.schema())) {
                placed.clear();
                for (DataFile each : files) {
                    placed.add(home.place(each, table));
                }
                stamped[0] = table.schema();
            }
            commit(transaction, outbox, epoch, files, placed);
        });
        home.forget(files);
    }

    private void commit(Transaction transaction, String outbox, long epoch, List<DataFile> files, List<Placed> placed) {
        if (keys.isEmpty()) {
            AppendFiles append = transaction.newAppend();
            for (int k = 0; k < files.size(); k++) {
                append.appendFile(rows(transaction.table().spec(), files.get(k), placed.get(k)));
            }
            commit(append, outbox, epoch);
        } else {
            replace(transaction, outbox, epoch, files, placed);
        }
        if (outbox != null) {
            transaction.updateProperties().set(MARK + outbox, Long.toString(epoch)).commit();
        }
        transaction.commitTransaction();
    }

    private static void commit(SnapshotUpdate<?> update, String outbox, long epoch) {
        if (outbox != null) {
            update.set(OUTBOX, outbox);         // for people: which snapshot it was
            update.set(EPOCH, Long.toString(epoch));
        }
        update.commit();
    }

    /**
     * Keys that are gone are those of earlier snapshots. So what comes later in a partition is a snapshot of its own; all of them
     * are one version.
     */
    private void replace(Transaction transaction, String outbox, long epoch, List<DataFile> files, List<Placed> placed) {
        Table table = transaction.table();
        int[] ids = keys.stream().mapToInt(each -> table.schema().findField(each).fieldId()).toArray();
        Map<List<String>, Integer> pieces = new HashMap<>();
        int last = files.stream().filter(each -> !each.removes())
                .mapToInt(each -> pieces.merge(each.partitions(), 1, Integer::sum)).max().orElse(0);
        for (int layer = 0; layer < last; layer++) {
            RowDelta delta = transaction.newRowDelta();
            pieces.clear();
            for (int k = 0; k < files.size(); k += 2) {
                if (pieces.merge(files.get(k).partitions(), 1, Integer::sum) == layer + 1) {
                    delta.addRows(rows(table.spec(), files.get(k), placed.get(k)));
                    delta.addDeletes(removed(table.spec(), ids, files.get(k + 1), placed.get(k + 1)));
                }
            }
            commit(delta, outbox, epoch);
        }
    }

    private static org.apache.iceberg.DataFile rows(PartitionSpec partitions, DataFile file, Placed placed) {
        DataFiles.Builder made = DataFiles.builder(partitions).withPath(placed.location()).withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(placed.bytes()).withRecordCount(file.rows());
        return (partitions.isPartitioned() ? made.withPartition(Partitions.values(partitions, file.partitions())) : made).build();
    }

    private static DeleteFile removed(PartitionSpec partitions, int[] keys, DataFile file, Placed placed) {
        FileMetadata.Builder made = FileMetadata.deleteFileBuilder(partitions).ofEqualityDeletes(keys)
                .withPath(placed.location()).withFormat(FileFormat.PARQUET).withFileSizeInBytes(placed.bytes())
                .withRecordCount(file.rows());
        return (partitions.isPartitioned() ? made.withPartition(Partitions.values(partitions, file.partitions())) : made).build();
    }

    @Override
    public void close() throws IOException {
        home.close();
    }
}
