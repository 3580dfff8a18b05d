package io.despina.operator.record.avro;

import io.despina.operator.record.value.BinaryReader;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;

/** Reads the records of a block, which stand one behind the other. {@link #open} comes first. */
public final class AvroBlockReader implements BinaryReader {
    private final Schema columns;
    private final Packet defaults;
    private AvroReader reader;

    /** @param defaults a row with the default of each column that has one; null for none */
    public AvroBlockReader(Schema columns, Packet defaults) {
        this.columns = columns;
        this.defaults = defaults;
    }

    /** @throws AvroException if no record of the schema can be read as the columns */
    public void open(org.apache.avro.Schema writer) throws AvroException {
        reader = new AvroReader(writer, columns, defaults);
    }

    /**
     * Reads the first record of {@code bytes[from, to)}; {@link #end} says where it ends, whether or not it can be a row.
     *
     * @throws io.despina.operator.record.value.BrokenRecord if it has no end there
     */
    @Override
    public String read(byte[] bytes, int from, int to, PacketWriter out) {
        return reader.readFirst(bytes, from, to, out);
    }

    /** Passes over that record. @throws io.despina.operator.record.value.BrokenRecord if it has no end there */
    public void skip(byte[] bytes, int from, int to) {
        reader.skipFirst(bytes, from, to);
    }

    /** Where the record ends that was read, or passed over, last. */
    public int end() {
        return reader.end();
    }
}
