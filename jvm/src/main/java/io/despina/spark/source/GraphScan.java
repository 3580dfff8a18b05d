package io.despina.spark.source;

import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Schema;
import java.lang.ref.Cleaner;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;

/**
 * One reading of an output. A batch's job is started, or found, when Spark asks for its partitions; Spark may read them again as
 * long as it holds this, so a job of its own and its rows stay until it is collected.
 */
final class GraphScan implements Scan, Batch {
    private static final Cleaner CLEANER = Cleaner.create();

    private final SourceOptions options;
    private final Schema packets;
    /** Guarded by this; null before. */
    private SpooledOutput job;

    GraphScan(SourceOptions options, Schema packets) {
        this.options = options;
        this.packets = packets;
    }

    @Override
    public StructType readSchema() {
        return SparkTypes.struct(packets);
    }

    @Override
    public String description() {
        return options.toString();
    }

    /** Without a look at the partitions, for which the job would be started. */
    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return ColumnarSupportMode.UNSUPPORTED;
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public MicroBatchStream toMicroBatchStream(String checkpointLocation) {
        return new GraphStream(options, packets, checkpointLocation);
    }

    @Override
    public synchronized InputPartition[] planInputPartitions() {
        if (job == null) {
            SpooledOutput started = SpooledOutput.open(options, SpooledOutput.Reading.BATCH);
            CLEANER.register(this, started::close);
            job = started;
        }
        InputPartition[] partitions = new InputPartition[job.instances()];
        for (int k = 0; k < partitions.length; k++) {
            partitions[k] = job.partition(k, job.states().get(k).first(), Long.MAX_VALUE);
        }
        return partitions;
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new SpoolReaderFactory(packets);
    }
}
