package io.despina.spark.source;

import io.despina.expr.TypeBytes;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/** Makes readers in Spark's tasks. */
final class SpoolReaderFactory implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    /** The packets' columns: what Spark sends must be serializable. */
    private final byte[] columns;

    SpoolReaderFactory(Schema packets) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            TypeBytes.write(new Type.Struct(packets.columns()), out);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        columns = bytes.toByteArray();
    }

    private Schema packets() {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(columns))) {
            return new Schema(((Type.Struct) TypeBytes.readType(in)).fields());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        return new SpoolReader((SpoolPartition) partition, packets());
    }
}
