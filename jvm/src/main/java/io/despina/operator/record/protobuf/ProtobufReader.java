package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.RowValues;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.stream.IntStream;

/**
 * Reads messages of one type as rows. Fields go to the columns of their names, others are passed over. A column that the message
 * type does not have has its default, or is NULL. It allocates nothing for a row of numbers and texts.
 */
final class ProtobufReader implements BinaryReader {
    private final Schema schema;
    private final ProtoMembers members;
    /** Null if messages cannot be read so. */
    private final ProtoFlat flat;
    private final boolean[] isNested;
    /** The defaults of columns; null for none. */
    private final Packet defaults;
    private final ProtoIndex in = new ProtoIndex();
    private final RowValues values;
    private final Scalar scalar = new Scalar();

    /**
     * A reader.
     *
     * @param defaults a row with the default of each column that has one; null for none
     * @throws ProtobufException if no record of the message could be read
     */
    ProtobufReader(ProtoResolver resolver, ProtoMessage message, Schema schema, Packet defaults) throws ProtobufException {
        this.schema = schema;
        this.defaults = defaults;
        values = new RowValues(schema);
        members = resolver.members(message, schema.columns(), "");
        flat = ProtoFlat.of(members, schema.size());
        isNested = new boolean[schema.size()];
        for (int k = 0; k < isNested.length; k++) {
            isNested[k] = ProtoValue.isNested(schema.column(k).type());
        }
        if (IntStream.range(0, schema.size()).noneMatch(members::has)) {
            throw new ProtobufException("none of the columns is in the message " + message.name() + ", which has "
                    + message.fieldNames());
        }
    }

    @Override
    public String read(byte[] bytes, int from, int to, PacketWriter out) {
        values.begin();
        if (flat != null && flat.read(bytes, from, to, values)) {
            for (int k = 0; k < isNested.length; k++) {
                if (!values.has(k)) {
                    absent(k);
                }
            }
            values.write(out);
            return null;
        }
        return readByIndex(bytes, from, to, out);
    }

    private void absent(int column) {
        if (!members.has(column)) {
            values.setDefault(column, schema.column(column), defaults);
        } else if (members.value(column).absent(scalar)) {
            values.set(column, scalar);
        }
    }

    private String readByIndex(byte[] bytes, int from, int to, PacketWriter out) {
        values.begin();
        int at = -1;
        try {
            int frame = in.open(members.shape(), bytes, from, to);
            for (at = 0; at < isNested.length; at++) {
                column(at, frame);
            }
        } catch (BrokenRecord | IllegalArgumentException why) {     // the second: nested values have a most
            return at < 0 ? why.getMessage() : "`" + schema.column(at).name() + "`: " + why.getMessage();
        }
        values.write(out);
        return null;
    }

    private void column(int column, int frame) {
        if (!members.has(column)) {
            values.setDefault(column, schema.column(column), defaults);
        } else if (isNested[column]) {
            int start = values.builder().end();
            if (members.build(column, in, frame, values.builder())) {
                values.built(column, start);
            }
        } else if (members.read(column, in, frame, scalar)) {
            values.set(column, scalar);
        }
    }
}
