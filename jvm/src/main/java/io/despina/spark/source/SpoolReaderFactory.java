package io.despina.spark.source;

import io.despina.packet.Schema;
import io.despina.spark.job.PacketColumns;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/** Makes readers in Spark's tasks. */
final class SpoolReaderFactory implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    private final PacketColumns packets;

    SpoolReaderFactory(Schema packets) {
        this.packets = new PacketColumns(packets);
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        return new SpoolReader((SpoolPartition) partition, packets.schema());
    }
}
