package io.despina.delta;

import io.delta.kernel.DataWriteContext;
import io.delta.kernel.Operation;
import io.delta.kernel.Table;
import io.delta.kernel.Transaction;
import io.delta.kernel.TransactionBuilder;
import io.delta.kernel.TransactionCommitResult;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.ConcurrentTransactionException;
import io.delta.kernel.exceptions.ConcurrentWriteException;
import io.delta.kernel.exceptions.TableAlreadyExistsException;
import io.delta.kernel.exceptions.TableNotFoundException;
import io.delta.kernel.expressions.Literal;
import io.delta.kernel.hook.PostCommitHook;
import io.delta.kernel.hook.PostCommitHook.PostCommitHookType;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.types.DataTypeJsonSerDe;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.statistics.DataFileStatistics;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterable;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.DataFileStatus;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeTable;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A Delta table. The mark of an epoch is Delta's own for writers: an application and its version. */
final class DeltaTable implements LakeTable {
    private static final String MAKER = "despina";
    /** While others come first. */
    private static final int MOST_TRIES = 100;
    /** Of a table that is not there, as the kernel has it. */
    private static final long NO_VERSION = -1;

    private final ConnectorSettings settings;
    private final Consumer<String> warn;
    private final String path;
    private final TableFolder folder;
    private final Engine engine;
    /** Null before it is looked at. */
    private Table table;
    /** Of the stream. */
    private final StructType own;
    /** What was asked for last; null before, and for a table that is not there. */
    private SnapshotImpl known;
    private Shape shape;

    DeltaTable(ConnectorSettings settings, Consumer<String> warn) {
        this(settings, warn, null);
    }

    /** @param engine null for that of the table's folder */
    DeltaTable(ConnectorSettings settings, Consumer<String> warn, Engine engine) {
        this.settings = settings;
        this.warn = warn;
        path = settings.text("path");
        folder = TableFolder.of(path);
        this.engine = engine == null ? folder.engine() : engine;
        own = settings.has("schema") ? DataTypeJsonSerDe.deserializeStructType(settings.text("schema")) : null;
    }

    @Override
    public Shape open() throws IOException {
        folder.mustBeSafe();
        look();
        List<String> wanted = settings.has("partition_by") ? settings.texts("partition_by") : null;
        if (known == null) {
            shape = shape(wanted == null ? List.of() : wanted, Set.of());
            return shape;
        }
        List<String> partitions = known.getPartitionColumnNames();
        String problem = problem();
        if (problem == null && wanted != null && !wanted.equals(partitions)) {
            problem = "is partitioned by " + partitions + ", and `partition_by` is " + wanted;
        }
        if (problem != null) {
            throw new RefusedException("`path` " + path + " " + problem, null);
        }
        shape = shape(partitions, known.getSchema().fields().stream().filter(each -> !each.isNullable())
                .map(StructField::getName).collect(Collectors.toSet()));
        return shape;
    }

    private static Shape shape(List<String> partitions, Set<String> required) {
        return new Shape(partitions.stream().map(each -> new Partition(each, null)).toList(), false, required);
    }

    private List<String> partitions() {
        return shape.partitions().stream().map(Partition::column).toList();
    }

    private void look() throws IOException {
        try {
            if (table == null) {
                table = Table.forPath(engine, path);
            }
            known = (SnapshotImpl) table.getLatestSnapshot(engine);
        } catch (TableNotFoundException none) {
            known = null;
        } catch (RuntimeException why) {
            throw Words.of(path, why);
        }
    }

    /** Why the stream's rows are none of the table; null if they are. */
    private String problem() {
        String mapping = known.getMetadata().getConfiguration().getOrDefault("delta.columnMapping.mode", "none");
        if (!mapping.equals("none")) {
            return "has other names for its columns in files (delta.columnMapping.mode is " + mapping
                    + "): that is not written yet";
        }
        StructType columns = known.getSchema();
        List<String> problems = new ArrayList<>();
        for (StructField each : own.fields()) {
            int index = columns.indexOf(each.getName());
            if (index < 0) {
                problems.add("no column `" + each.getName() + "`");
            } else if (!columns.at(index).getDataType().equals(each.getDataType())) {
                problems.add("`" + each.getName() + "` as " + columns.at(index).getDataType() + ", and the stream as "
                        + each.getDataType());
            }
        }
        if (own.fields().stream().map(StructField::getName).allMatch(known.getPartitionColumnNames()::contains)) {
            problems.add("all columns of the stream as partitions, and none is left for its files");
        }
        for (String each : known.getPartitionColumnNames()) {
            if (!PartitionLiterals.has(columns.get(each).getDataType())) {
                problems.add("a partition column `" + each + "` of type " + columns.get(each).getDataType()
                        + ", which is not written yet");
            }
        }
        for (StructField each : columns.fields()) {
            boolean isNeeded = !each.isNullable() || known.getPartitionColumnNames().contains(each.getName());
            if (isNeeded && own.indexOf(each.getName()) < 0) {
                problems.add("`" + each.getName() + "`, which " + (each.isNullable() ? "it is partitioned by" : "may not be NULL")
                        + ", and the stream has not");
            }
        }
        return problems.isEmpty() ? null : "has " + String.join("; ", problems);
    }

    /** For users. */
    String words() {
        return known == null ? "there is no table at " + path + " yet" : "table " + path + " (version " + known.getVersion()
                + (shape.partitions().isEmpty() ? ")" : ", partitioned by " + String.join(", ", partitions()) + ")");
    }

    /** The last epoch of an outbox. */
    OptionalLong epoch(String outbox) throws IOException {
        look();
        return known == null ? OptionalLong.empty() : last(outbox);
    }

    private OptionalLong last(String outbox) throws IOException {
        try {
            Optional<Long> found = known.getLatestTransactionVersion(engine, outbox);
            return found.isPresent() ? OptionalLong.of(found.get()) : OptionalLong.empty();
        } catch (RuntimeException why) {
            throw Words.of(path, why);
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
        return folder.create(name, table.getPath(engine) + "/" + name);
    }

    @Override
    public void append(String outbox, long epoch, List<DataFile> files) throws IOException {
        Shape written = shape;
        try {
            TransactionCommitResult result = null;
            for (int tries = 0; result == null; tries++) {
                if (tries == MOST_TRIES) {
                    throw new LostException("`path` " + path + ": others always come first", null);
                }
                result = commitOnce(written, outbox, epoch, files);
            }
            afterwards(result.getPostCommitHooks());
        } catch (ConcurrentTransactionException there) {
            throw new LostException("`path` " + path + " has epoch " + epoch + " of " + outbox + " already", there);
        } catch (RuntimeException why) {
            throw Words.of(path, why);
        }
    }

    /** Null if another writer came first. */
    private TransactionCommitResult commitOnce(Shape written, String outbox, long epoch, List<DataFile> files)
            throws IOException {
        open();         // others may have changed it
        if (!shape.equals(written)) {
            throw new LostException("`path` " + path + " has other partitions or rights of NULL than it had", null);
        }
        try {
            return commit(outbox, epoch, files);
        } catch (ConcurrentTransactionException there) {
            throw there;
        } catch (ConcurrentWriteException | TableAlreadyExistsException another) {
            return null;
        }
    }

    private TransactionCommitResult commit(String outbox, long epoch, List<DataFile> files) {
        TransactionBuilder builder = table.createTransactionBuilder(engine, MAKER, known == null ? Operation.CREATE_TABLE
                : Operation.WRITE);
        if (known == null) {
            builder = builder.withSchema(engine, own).withPartitionColumns(engine, partitions());
        }
        if (outbox != null) {
            builder = builder.withTransactionId(engine, outbox, epoch);
        }
        // no second try of the kernel's own: it does not ask whether the files fit what others have changed
        Transaction transaction = builder.withMaxRetries(0).build(engine);
        if (transaction.getReadTableVersion() != (known == null ? NO_VERSION : known.getVersion())) {
            return null;        // the kernel has looked again, and it is not what was looked at here
        }
        Row state = transaction.getTransactionState(engine);
        List<Row> actions = new ArrayList<>();
        for (DataFile each : files) {
            DataWriteContext to = Transaction.getWriteContext(engine, state, values(transaction, each));
            DataFileStatus status = new DataFileStatus(each.path(), each.bytes(), each.modified(),
                    Optional.of(new DataFileStatistics(each.rows(), Map.of(), Map.of(), Map.of())));
            try (CloseableIterator<Row> made = Transaction.generateAppendActions(engine, state,
                    Utils.toCloseableIterator(List.of(status).iterator()), to)) {
                made.forEachRemaining(actions::add);
            } catch (IOException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return transaction.commit(engine, CloseableIterable.inMemoryIterable(Utils.toCloseableIterator(actions.iterator())));
    }

    private Map<String, Literal> values(Transaction transaction, DataFile file) {
        Map<String, Literal> values = new LinkedHashMap<>();
        StructType columns = transaction.getSchema(engine);
        for (int k = 0; k < shape.partitions().size(); k++) {
            String name = shape.partitions().get(k).column();
            values.put(name, PartitionLiterals.of(columns.get(name).getDataType(), file.partitions().get(k)));
        }
        return values;
    }

    /** The version is there already. A checksum for which the whole log must be read is written as seldom as a checkpoint. */
    private void afterwards(List<PostCommitHook> hooks) {
        boolean isSeldom = hooks.stream().anyMatch(each -> each.getType() == PostCommitHookType.CHECKPOINT);
        for (PostCommitHook each : hooks) {
            if (each.getType() == PostCommitHookType.CHECKSUM_FULL && !isSeldom) {
                continue;
            }
            try {
                each.threadSafeInvoke(engine);
            } catch (IOException | RuntimeException why) {
                warn.accept("`path` " + path + ": " + each.getType() + " failed, which costs readers time: "
                        + why.getMessage());
            }
        }
    }

    @Override
    public void close() {
        // nothing stays open
    }
}
