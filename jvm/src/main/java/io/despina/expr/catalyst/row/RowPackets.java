package io.despina.expr.catalyst.row;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import scala.Function1;

/** Converts Spark's rows to packets, one at a time, in one growing buffer. */
public final class RowPackets implements PacketWriter.Regions {
    private static final int FIRST_BYTES = 1024;

    private final StructType struct;
    private final Function1<Object, Object> toCatalyst;
    private final ValueWriter[] values;
    private final PacketWriter writer;
    private final Packet view;

    /** @param schema of the packets; the rows have at least its columns, in its order */
    public RowPackets(Schema schema) {
        struct = SparkTypes.struct(schema);
        toCatalyst = CatalystTypeConverters.createToCatalystConverter(struct);
        values = ValueWriter.of(schema.columns());
        writer = new PacketWriter(schema.layout(), this);
        writer.open(new byte[FIRST_BYTES], 0, FIRST_BYTES);
        view = new Packet(schema.layout());
    }

    /** The packet of a row, valid until the next call. */
    public Packet of(Row row) {
        Object[] cells = new Object[values.length];
        Arrays.setAll(cells, row::get);
        InternalRow internal = (InternalRow) toCatalyst.apply(RowFactory.create(cells));
        writer.open(writer.bytes(), 0, writer.bytes().length);
        writer.begin();
        for (int k = 0; k < values.length; k++) {
            if (internal.isNullAt(k)) {
                writer.setNull(k);
            } else {
                values[k].set(writer, k, internal.get(k, struct.fields()[k].dataType()));
            }
        }
        writer.commit();
        view.wrap(writer.bytes(), 0, writer.position());
        return view;
    }

    @Override
    public void makeRoom(PacketWriter w, int needed) {
        byte[] larger = new byte[Math.max(needed, 2 * w.bytes().length)];
        w.move(larger, 0, larger.length);
    }
}
