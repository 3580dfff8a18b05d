package io.despina.expr.catalyst.row;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.Function1;

/** Encodes rows as Spark shows them to programs as packets, one at a time, in one growing buffer. */
public final class RowEncoding implements PacketWriter.Regions {
    private static final int FIRST_BYTES = 1024;

    private final Function1<Object, Object> toCatalyst;
    private final Object[] cells;
    private final RowPackets rows;
    private final PacketWriter writer;
    private final Packet view;

    /** @param schema of the packets; the rows have at least its columns, in its order */
    public RowEncoding(Schema schema) {
        toCatalyst = CatalystTypeConverters.createToCatalystConverter(SparkTypes.struct(schema));
        cells = new Object[schema.size()];
        rows = new RowPackets(schema);
        writer = new PacketWriter(schema.layout(), this);
        writer.open(new byte[FIRST_BYTES], 0, FIRST_BYTES);
        view = new Packet(schema.layout());
    }

    /** The packet of a row, valid until the next call. */
    public Packet of(Row row) {
        Arrays.setAll(cells, row::get);
        writer.open(writer.bytes(), 0, writer.bytes().length);
        rows.write((InternalRow) toCatalyst.apply(RowFactory.create(cells)), writer);
        view.wrap(writer.bytes(), 0, writer.position());
        return view;
    }

    @Override
    public void makeRoom(PacketWriter w, int needed) {
        byte[] larger = new byte[Math.max(needed, 2 * w.bytes().length)];
        w.move(larger, 0, larger.length);
    }
}
