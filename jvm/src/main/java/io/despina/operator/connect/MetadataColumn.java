package io.despina.operator.connect;

import io.despina.connect.RecordContent;
import io.despina.packet.Column;
import io.despina.packet.NestedWriter;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;

/**
 * A column that comes from beside a record's value.
 *
 * @param index of what the connector calls so, see {@link RecordContent}
 * @param type  {@link #PAIRS}, or without parameters
 */
public record MetadataColumn(int index, Type type) {
    private static final Type.Struct PAIR = new Type.Struct(List.of(new Column("key", Type.Simple.STRING, false),
            new Column("value", Type.Simple.BINARY, true)));
    /** Named values, as Spark gives a record's headers. */
    public static final Type.Array PAIRS = new Type.Array(PAIR, false);
    private static final PacketLayout LAYOUT = new Schema(PAIR.fields()).layout();

    /** @param nested to build values in */
    void write(RecordContent record, PacketWriter out, int column, NestedWriter nested) {
        if (record.isMissing(index)) {
            out.setNull(column);
        } else if (type == PAIRS) {
            writePairs(record.pairs(index), nested.clear());
            out.setBytes(column, nested.bytes(), 0, nested.end());
        } else {
            writeSimple(record, out, column);
        }
    }

    private void writeSimple(RecordContent record, PacketWriter out, int column) {
        switch ((Type.Simple) type) {
            case STRING, BINARY -> {
                byte[] bytes = record.binary(index);
                out.setBytes(column, bytes, 0, bytes.length);
            }
            case BOOLEAN -> out.setBoolean(column, record.number(index) != 0);
            case INT -> out.setInt(column, (int) record.number(index));
            case BIGINT, TIMESTAMP -> out.setLong(column, record.number(index));
            default -> throw new IllegalStateException("no connector gives " + type.sql());
        }
    }

    private static void writePairs(byte[][] pairs, NestedWriter to) {
        int array = to.beginArray(PAIR, false, pairs.length / 2);
        for (int k = 0; k < pairs.length / 2; k++) {
            int struct = to.beginStruct(LAYOUT);
            put(pairs[2 * k], to);
            to.endField(LAYOUT, struct, 0);
            byte[] value = pairs[2 * k + 1];
            if (value == null) {
                to.setFieldNull(LAYOUT, struct, 1);
            } else {
                put(value, to);
                to.endField(LAYOUT, struct, 1);
            }
            to.endElement(PAIR, false, array, k);
        }
    }

    private static void put(byte[] bytes, NestedWriter to) {
        int at = to.append(bytes.length);
        System.arraycopy(bytes, 0, to.bytes(), at, bytes.length);
    }
}
