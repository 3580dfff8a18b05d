package io.despina.spark.source;

import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Schema;
import java.util.EnumSet;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** An output of a graph as Spark's table. */
final class GraphTable implements SupportsRead {
    private final SourceOptions options;
    private final Schema packets;

    GraphTable(SourceOptions options) {
        this.options = options;
        packets = options.packets();
    }

    @Override
    public String name() {
        return options.toString();
    }

    @Override
    @Deprecated
    public StructType schema() {
        return SparkTypes.struct(packets);
    }

    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap again) {
        return () -> new GraphScan(options, packets);
    }
}
