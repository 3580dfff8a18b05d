package io.despina.spark.sink;

import io.despina.expr.catalyst.row.SparkTypes;
import java.util.EnumSet;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A source of a running job as Spark's table, to which rows are appended. */
public final class InputTable implements SupportsWrite {
    private final SinkOptions options;
    private final StructType columns;

    private InputTable(SinkOptions options, StructType columns) {
        this.options = options;
        this.columns = columns;
    }

    /** Whether the options say where rows are written to. */
    public static boolean isMeant(CaseInsensitiveStringMap options) {
        return SinkOptions.areIn(options);
    }

    /** The columns of the source: asks the job, or plans the graph. */
    public static StructType columns(CaseInsensitiveStringMap options) {
        SinkOptions read = SinkOptions.of(options);
        if (read.graph() != null) {
            return SparkTypes.struct(read.planned());
        }
        try (JobInput input = JobInput.open(read)) {
            return SparkTypes.struct(input.schema());
        }
    }

    /** @param columns as {@link #columns} gave them */
    public static InputTable of(CaseInsensitiveStringMap options, StructType columns) {
        return new InputTable(SinkOptions.of(options), columns);
    }

    @Override
    public String name() {
        return options.toString();
    }

    @Override
    @Deprecated
    public StructType schema() {
        return columns;
    }

    /** Columns are compared here, for batches as for streams. */
    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_WRITE, TableCapability.STREAMING_WRITE, TableCapability.ACCEPT_ANY_SCHEMA);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        return new InputWriteBuilder(options, ColumnMatch.ordinals(options.toString(), info.schema(), columns), info.queryId());
    }
}
