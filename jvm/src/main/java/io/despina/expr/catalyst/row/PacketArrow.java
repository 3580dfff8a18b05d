package io.despina.expr.catalyst.row;

import io.despina.expr.ArrowRows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.spark.sql.execution.arrow.ArrowWriter;

/** Writes packets with Spark's Arrow writer. */
public final class PacketArrow implements ArrowRows {
    private final PacketRow row;
    private final ArrowWriter writer;
    private int rows;

    public PacketArrow(Schema schema, String timeZone) {
        row = ValueType.row(schema);
        writer = ArrowWriter.create(SparkTypes.struct(schema), timeZone, true, false);
    }

    @Override
    public void add(Packet packet) {
        writer.write(row.on(packet));
        rows++;
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public byte[] take() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        writer.finish();
        try (ArrowStreamWriter stream = new ArrowStreamWriter(writer.root(), null, Channels.newChannel(bytes))) {
            stream.start();
            stream.writeBatch();
            stream.end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        writer.reset();
        rows = 0;
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        writer.root().close();
    }
}
