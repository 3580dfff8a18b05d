package io.despina.expr;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Types, columns and schemas as bytes. DDL would lose whether elements may be null. */
public final class TypeBytes {
    private static final int DECIMAL = Type.Simple.values().length;
    private static final int ARRAY = DECIMAL + 1;
    private static final int MAP = DECIMAL + 2;
    private static final int STRUCT = DECIMAL + 3;
    private static final int INTERVAL = DECIMAL + 4;
    private static final int VOID = DECIMAL + 5;

    private TypeBytes() {
    }

    public static void write(Type type, DataOutput out) throws IOException {
        if (type instanceof Type.Simple simple) {
            out.writeByte(simple.ordinal());
        } else if (type instanceof Type.Void) {
            out.writeByte(VOID);
        } else if (type instanceof Type.Decimal d) {
            out.writeByte(DECIMAL);
            out.writeByte(d.precision());
            out.writeByte(d.scale());
        } else if (type instanceof Type.Interval i) {
            out.writeByte(INTERVAL);
            out.writeByte(i.from().ordinal());
            out.writeByte(i.to().ordinal());
        } else if (type instanceof Type.Array a) {
            out.writeByte(ARRAY);
            write(a.element(), out);
            out.writeBoolean(a.containsNull());
        } else if (type instanceof Type.MapOf m) {
            out.writeByte(MAP);
            write(m.key(), out);
            write(m.value(), out);
            out.writeBoolean(m.valueContainsNull());
        } else {
            out.writeByte(STRUCT);
            write(((Type.Struct) type).fields(), out);
        }
    }

    public static void write(Column column, DataOutput out) throws IOException {
        out.writeUTF(column.name());
        write(column.type(), out);
        out.writeBoolean(column.nullable());
    }

    static void write(Schema schema, DataOutput out) throws IOException {
        write(schema.columns(), out);
    }

    private static void write(List<Column> columns, DataOutput out) throws IOException {
        out.writeInt(columns.size());
        for (Column column : columns) {
            write(column, out);
        }
    }

    public static Type readType(DataInput in) throws IOException {
        int kind = in.readByte();
        if (kind < DECIMAL) {
            return Type.Simple.values()[kind];
        } else if (kind == VOID) {
            return new Type.Void();
        } else if (kind == DECIMAL) {
            return new Type.Decimal(in.readByte(), in.readByte());
        } else if (kind == INTERVAL) {
            return new Type.Interval(Type.Interval.Unit.values()[in.readByte()], Type.Interval.Unit.values()[in.readByte()]);
        } else if (kind == ARRAY) {
            return new Type.Array(readType(in), in.readBoolean());
        } else if (kind == MAP) {
            return new Type.MapOf(readType(in), readType(in), in.readBoolean());
        }
        return new Type.Struct(readColumns(in));
    }

    public static Column readColumn(DataInput in) throws IOException {
        return new Column(in.readUTF(), readType(in), in.readBoolean());
    }

    static Schema readSchema(DataInput in) throws IOException {
        return new Schema(readColumns(in));
    }

    private static List<Column> readColumns(DataInput in) throws IOException {
        int size = in.readInt();
        List<Column> columns = new ArrayList<>();
        for (int k = 0; k < size; k++) {
            columns.add(readColumn(in));
        }
        return columns;
    }
}
