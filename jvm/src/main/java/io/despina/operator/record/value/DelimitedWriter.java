package io.despina.operator.record.value;

import io.despina.packet.Packet;
import java.io.IOException;
import java.io.OutputStream;

/** Writes each record behind the number of its bytes, seven bits of it in a byte, the lowest first: Protobuf's "delimited". */
public final class DelimitedWriter implements BinaryWriter {
    private static final int BITS = 7;
    private static final int MORE = 0x80;

    private final BinaryWriter writer;
    private final OpenBytes record = new OpenBytes();

    public DelimitedWriter(BinaryWriter writer) {
        this.writer = writer;
    }

    @Override
    public void write(Packet packet, OutputStream out) throws IOException {
        record.cut(0);
        writer.write(packet, record);
        int rest = record.size();
        for (; rest >= MORE; rest >>>= BITS) {
            out.write(rest | MORE);
        }
        out.write(rest);
        out.write(record.bytes(), 0, record.size());
    }
}
