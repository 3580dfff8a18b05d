package io.despina.spark.sink;

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
    private final InputShape shape;

    private InputTable(SinkOptions options, InputShape shape) {
        this.options = options;
        this.shape = shape;
    }

    /** Whether the options say where rows are written to. */
    public static boolean isMeant(CaseInsensitiveStringMap options) {
        return SinkOptions.areIn(options);
    }

    /** The columns of the source: asks the job, or plans the graph. */
    public static StructType columns(CaseInsensitiveStringMap options) {
        return InputShape.of(SinkOptions.of(options)).columns();
    }

    public static InputTable of(CaseInsensitiveStringMap options) {
        SinkOptions read = SinkOptions.of(options);
        return new InputTable(read, InputShape.of(read));
    }

    @Override
    public String name() {
        return options.toString();
    }

    @Override
    @Deprecated
    public StructType schema() {
        return shape.columns();
    }

    /** Columns are compared here, for batches as for streams; so is the mode, which Spark would refuse without a way out. */
    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_WRITE, TableCapability.STREAMING_WRITE, TableCapability.ACCEPT_ANY_SCHEMA,
                TableCapability.TRUNCATE);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        return new InputWriteBuilder(options, shape,
                ColumnMatch.ordinals(options.toString(), info.schema(), shape.columns()), info.queryId());
    }
}
