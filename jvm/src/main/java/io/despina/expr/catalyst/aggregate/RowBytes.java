package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueType;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.types.DataType;

/** Converts values of fixed Spark types to bytes and back, as a packet. */
final class RowBytes {
    private final Schema schema;
    private final ValueType[] types;
    private final ValueWriter[] writers;
    private final PacketWriter packet;

    /** @param types at least one; a packet must be able to hold each */
    RowBytes(List<DataType> types) {
        List<Column> columns = new ArrayList<>();
        for (DataType type : types) {
            columns.add(new Column("c" + columns.size(), SparkTypes.type(type), true));
        }
        schema = new Schema(columns);
        this.types = ValueType.of(columns);
        writers = ValueWriter.of(columns);
        packet = new PacketWriter(schema.layout(), RowBytes::grow);
    }

    /** Whether values of that type can be kept. */
    static boolean holds(DataType type) {
        return SparkTypes.type(type) != null;
    }

    private static void grow(PacketWriter writer, int needed) {
        byte[] region = new byte[Math.max(256, 2 * needed)];
        writer.move(region, 0, region.length);
    }

    void write(Object[] values, DataOutput out) throws IOException {
        packet.open(packet.bytes(), 0, packet.bytes().length);
        packet.begin();
        for (int k = 0; k < writers.length; k++) {
            writers[k].set(packet, k, values[k]);
        }
        packet.commit();
        out.writeInt(packet.position());
        out.write(packet.bytes(), 0, packet.position());
    }

    /** @throws MalformedPacketException if the bytes are not such a row */
    Object[] read(DataInput in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > Bytes.MAX_LENGTH + Bytes.MAX_VARINT) {
            throw new MalformedPacketException("row of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        Packet view = new Packet(schema.layout());
        view.wrap(bytes, 0, length);
        Object[] values = new Object[types.length];
        for (int k = 0; k < values.length; k++) {
            values[k] = InternalRow$.MODULE$.copyValue(types[k].read(view, k));
        }
        return values;
    }
}
