package io.despina.expr.catalyst.row;

import io.despina.expr.ArrowPackets;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Makes packets from Arrow streams, read with Spark's columns. */
public final class StreamPackets implements ArrowPackets {
    private final StructType struct;
    private final RowPackets rows;

    public StreamPackets(Schema schema) {
        struct = SparkTypes.struct(schema);
        rows = new RowPackets(schema);
    }

    @Override
    public void read(byte[] stream, PacketWriter out) {
        try (BufferAllocator allocator = ArrowUtils.rootAllocator().newChildAllocator("despina input", 0, Long.MAX_VALUE);
             ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream), allocator)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            checkColumns(ArrowUtils.fromArrowSchema(root.getSchema()));
            while (reader.loadNextBatch()) {
                ColumnVector[] vectors = root.getFieldVectors().stream().map(ArrowColumnVector::new).toArray(ColumnVector[]::new);
                write(new ColumnarBatch(vectors, root.getRowCount()).rowIterator(), out);
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("no Arrow stream: " + e.getMessage(), e);
        }
    }

    private void checkColumns(StructType found) {
        DataType wanted = struct.asNullable();
        if (!found.asNullable().equals(wanted)) {
            throw new IllegalArgumentException("an Arrow stream of " + found.sql() + ", not of " + struct.sql());
        }
    }

    private void write(Iterator<InternalRow> batch, PacketWriter out) {
        while (batch.hasNext()) {
            rows.write(batch.next(), out);
        }
    }
}
