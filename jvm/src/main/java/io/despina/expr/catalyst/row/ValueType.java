package io.despina.expr.catalyst.row;

import io.despina.packet.Column;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketArray;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketMap;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A packet type, prepared for reading and writing its values as Spark's. Strings, binaries and nested values are views or copies
 * that never extend outside the packet, whatever its bytes are.
 */
public final class ValueType implements ValueReader {
    private static final int LONGEST_CHARACTER = 4;

    public final Type type;
    /** The type of the stored bytes. */
    public final Type stored;
    /** The layout of a struct. */
    final PacketLayout layout;
    /** The fields of a struct, the element of an array, the key and value of a map. */
    final ValueType[] parts;

    private final DataType spark;

    private ValueType(Type type) {
        this.type = type;
        stored = type.stored();
        spark = SparkTypes.spark(type);
        layout = type instanceof Type.Struct s ? PacketLayout.of(s) : null;
        parts = parts(type);
    }

    /** The type in Spark. */
    DataType spark() {
        return spark;
    }

    public static ValueType of(Type type) {
        return new ValueType(type);
    }

    public static ValueType[] of(List<Column> columns) {
        return columns.stream().map(c -> new ValueType(c.type())).toArray(ValueType[]::new);
    }

    /** A row of that schema; {@link PacketRow#on} gives it a packet. */
    public static PacketRow row(Schema schema) {
        return new PacketRow(null, of(schema.columns()));
    }

    private static ValueType[] parts(Type type) {
        if (type instanceof Type.Struct s) {
            return of(s.fields());
        }
        if (type instanceof Type.Array a) {
            return new ValueType[] {of(a.element())};
        }
        if (type instanceof Type.MapOf m) {
            return new ValueType[] {of(m.key()), of(m.value())};
        }
        return new ValueType[0];
    }

    @Override
    public Object read(Packet packet, int column) {
        if (packet.isNull(column)) {
            return null;
        }
        if (stored instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN -> packet.getBoolean(column);
                case TINYINT -> packet.getByte(column);
                case SMALLINT -> packet.getShort(column);
                case INT, DATE -> packet.getInt(column);
                case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> packet.getLong(column);
                case FLOAT -> packet.getFloat(column);
                case DOUBLE -> packet.getDouble(column);
                case STRING -> string(packet, column);
                case BINARY -> packet.copyOfValue(column);
            };
        }
        if (type instanceof Type.Decimal d && d.width() != Type.VARIABLE) {
            return Decimal.createUnsafe(packet.getLong(column), d.precision(), d.scale());
        }
        int from = packet.valueStart(column);
        return value(packet.bytes(), from, packet.valueEnd());
    }

    @Override
    public Object read(PacketArray array, int k) {
        if (array.isNull(k)) {
            return null;
        }
        if (stored instanceof Type.Simple simple && simple.width() != Type.VARIABLE) {
            return switch (simple) {
                case BOOLEAN -> array.getBoolean(k);
                case TINYINT -> array.getByte(k);
                case SMALLINT -> array.getShort(k);
                case INT, DATE -> array.getInt(k);
                case FLOAT -> array.getFloat(k);
                case DOUBLE -> array.getDouble(k);
                default -> array.getLong(k);
            };
        }
        if (type instanceof Type.Decimal d && d.width() != Type.VARIABLE) {
            return Decimal.createUnsafe(array.getLong(k), d.precision(), d.scale());
        }
        int from = array.valueStart(k);
        return value(array.bytes(), from, array.valueEnd());
    }

    /** A value of variable width. */
    private Object value(byte[] bytes, int from, int to) {
        if (type == Type.Simple.STRING) {
            return string(bytes, from, to);
        }
        if (type == Type.Simple.BINARY) {
            return Arrays.copyOfRange(bytes, from, to);
        }
        if (type instanceof Type.Decimal d) {
            return decimal(d, bytes, from, to);
        }
        if (type instanceof Type.Array a) {
            return new ArrayView(new PacketArray(a.element(), a.containsNull()).wrap(bytes, from, to), parts[0]);
        }
        if (type instanceof Type.MapOf m) {
            PacketMap map = new PacketMap(m).wrap(bytes, from, to);
            return new MapView(new ArrayView(map.keys(), parts[0]), new ArrayView(map.values(), parts[1]));
        }
        return new PacketRow(new Packet(layout).wrapBody(bytes, from, to), parts);
    }

    private static Decimal decimal(Type.Decimal type, byte[] bytes, int from, int to) {
        if (from == to || to - from > 17) {
            throw new MalformedPacketException("decimal of " + (to - from) + " bytes");
        }
        BigDecimal value = new BigDecimal(new BigInteger(bytes, from, to - from), type.scale());
        if (value.precision() > type.precision()) {
            throw new MalformedPacketException(type.sql() + " with " + value.precision() + " digits");
        }
        return Decimal.apply(value, type.precision(), type.scale());
    }

    /** A string column in place. */
    public static UTF8String string(Packet packet, int column) {
        int from = packet.valueStart(column);
        return string(packet.bytes(), from, packet.valueEnd());
    }

    /**
     * The string in place. Spark skips over characters by the length in their first byte, so a string that ends within a
     * character is copied to an array with spare bytes after it.
     */
    static UTF8String string(byte[] bytes, int from, int to) {
        int length = to - from;
        for (int k = 1; k < LONGEST_CHARACTER && k <= length; k++) {
            if (UTF8String.numBytesForFirstByte(bytes[to - k]) > k) {
                return UTF8String.fromBytes(Arrays.copyOfRange(bytes, from, to + LONGEST_CHARACTER), 0, length);
            }
        }
        return UTF8String.fromBytes(bytes, from, length);
    }
}
