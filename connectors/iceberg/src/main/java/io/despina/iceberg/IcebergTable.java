package io.despina.iceberg;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeTable;
import io.despina.connect.LocalTableFile;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * An Iceberg table in a folder of this machine. The mark of an epoch is a property of the table, made with the version that takes
 * the epoch's files in: unlike the summary of a snapshot, it does not expire.
 */
final class IcebergTable implements LakeTable {
    /** While others come first. */
    private static final int MOST_TRIES = 100;
    private static final String MARK = "despina.epoch.";
    private static final String OUTBOX = "despina.outbox";
    private static final String EPOCH = "despina.epoch";

    private final ConnectorSettings settings;
    private final String path;
    private final TableFolder folder;
    /** Of the stream; null where nothing is written. */
    private final Types.StructType own;
    private Shape shape;

    IcebergTable(ConnectorSettings settings) {
        this(settings, new TableFolder(settings.text("path")));
    }

    IcebergTable(ConnectorSettings settings, TableFolder folder) {
        this.settings = settings;
        this.folder = folder;
        path = settings.text("path");
        own = settings.has("schema") ? StreamTypes.of(settings.text("schema")) : null;
    }

    private TableMetadata look() throws IOException {
        try {
            return folder.look();
        } catch (IOException | RuntimeException why) {
            throw Words.of(path, why);
        }
    }

    @Override
    public Shape open() throws IOException {
        TableMetadata known = look();
        List<String> wanted = settings.has("partition_by") ? settings.texts("partition_by") : null;
        if (known == null) {
            shape = new Shape(wanted == null ? List.of() : wanted, true, Set.of());
            return shape;
        }
        List<String> partitions = known.spec().fields().stream().map(each -> known.schema().findColumnName(each.sourceId()))
                .toList();
        String problem = problem(known);
        if (problem == null && wanted != null && !wanted.equals(partitions)) {
            problem = "is partitioned by " + partitions + ", and `partition_by` is " + wanted;
        }
        if (problem != null) {
            throw new RefusedException("`path` " + path + " " + problem, null);
        }
        shape = new Shape(partitions, true, known.schema().columns().stream().filter(NestedField::isRequired)
                .map(NestedField::name).collect(Collectors.toSet()));
        return shape;
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
        if (source == null || !field.transform().isIdentity() || !StreamTypes.canDivide(source.type())) {
            return "a partition `" + field.name() + "`, which is not written yet: " + field.transform() + " of "
                    + (source == null ? "what is within a column" : "`" + source.name() + "`, " + source.type());
        }
        return own.field(source.name()) == null ? "`" + source.name() + "`, which it is partitioned by, and the stream has not"
                : null;
    }

    /** For users. */
    String words() {
        return folder.current() == null ? "there is no table at " + path + " yet" : "table " + path + " (version "
                + folder.version() + (shape.partitions().isEmpty() ? ")" : ", partitioned by "
                + String.join(", ", shape.partitions()) + ")");
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
            throw new RefusedException("`path` " + path + " has the property " + MARK + outbox + "=" + found
                    + ", which is no number of an epoch", edited);
        }
    }

    @Override
    public Marker marker(String outbox, long epoch) throws IOException {
        long last = epoch(outbox).orElse(0);
        if (last > epoch) {
            throw RefusedException.olderState(outbox, epoch, "`path` " + path + " has its epoch " + last);
        }
        return last == epoch ? Marker.THERE : Marker.ABSENT;
    }

    @Override
    public TableFile create(String name) throws IOException {
        Path file = data().resolve(name);
        return new LocalTableFile(file, "file://" + file, why -> Words.of(path, why));
    }

    private Path data() {
        return Path.of(path).toAbsolutePath().normalize().resolve("data");
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
            } catch (AnotherFirstException another) {
                // look again
            } catch (IOException | RuntimeException why) {
                throw Words.of(path, why);
            }
        }
        throw new LostException("`path` " + path + ": others always come first", null);
    }

    /** Removes marks. */
    void forget(List<String> outboxes) throws IOException {
        made(() -> {
            if (look() != null) {
                Transaction transaction = Transactions.newTransaction(path, folder);
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
        made(() -> {
            open();         // others may have changed it
            if (!shape.equals(written)) {
                throw new LostException("`path` " + path + " has other partitions or rights of NULL than it had", null);
            }
            if (outbox != null && epoch(folder.current(), outbox).orElse(0) >= epoch) {
                throw new LostException("`path` " + path + " has epoch " + epoch + " of " + outbox + " already", null);
            }
            TableMetadata base = folder.current() == null ? created() : folder.current();
            if (stamped[0] == null || !stamped[0].sameSchema(base.schema())) {
                for (DataFile each : files) {
                    Footer.stamp(LocalFiles.path(each.path()), base.schema().asStruct());
                }
                LocalFiles.force(data());       // the names of the files
                stamped[0] = base.schema();
            }
            commit(base, outbox, epoch, files);
        });
    }

    private TableMetadata created() {
        Schema columns = new Schema(own.fields());
        PartitionSpec.Builder partitions = PartitionSpec.builderFor(columns);
        shape.partitions().forEach(partitions::identity);
        return TableMetadata.newTableMetadata(columns, partitions.build(), folder.location(), Map.of());
    }

    private void commit(TableMetadata base, String outbox, long epoch, List<DataFile> files) throws IOException {
        Transaction transaction = folder.current() == null ? Transactions.createTableTransaction(path, folder, base)
                : Transactions.newTransaction(path, folder);
        AppendFiles append = transaction.newAppend();
        for (DataFile each : files) {
            DataFiles.Builder file = DataFiles.builder(base.spec()).withPath(each.path()).withFormat(FileFormat.PARQUET)
                    .withFileSizeInBytes(Files.size(LocalFiles.path(each.path()))).withRecordCount(each.rows());
            append.appendFile((base.spec().isPartitioned() ? file.withPartitionValues(each.partitions()) : file).build());
        }
        if (outbox != null) {
            append.set(OUTBOX, outbox).set(EPOCH, Long.toString(epoch));      // for people: which snapshot it was
        }
        append.commit();
        if (outbox != null) {
            transaction.updateProperties().set(MARK + outbox, Long.toString(epoch)).commit();
        }
        transaction.commitTransaction();
    }

    @Override
    public void close() {
        // nothing stays open
    }
}
