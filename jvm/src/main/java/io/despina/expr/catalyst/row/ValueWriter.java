package io.despina.expr.catalyst.row;

import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.NestedWriter;
import io.despina.packet.PacketWriter;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.BinaryView;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Writes Spark's values of one type into packets. Converts decimals to the column's precision and scale; one that does not fit
 * becomes null, as in Spark's own rows.
 */
public final class ValueWriter {
    private final ValueType type;
    private final boolean nullable;
    /** A buffer for nested values before they are copied into the packet; null for types that need none. */
    private final NestedWriter nested;

    public ValueWriter(Column column) {
        type = ValueType.of(column.type());
        nullable = column.nullable();
        nested = type.parts.length > 0 || type.layout != null ? new NestedWriter() : null;
    }

    public static ValueWriter[] of(List<Column> columns) {
        return columns.stream().map(ValueWriter::new).toArray(ValueWriter[]::new);
    }

    public static void setString(PacketWriter out, int column, UTF8String value) {
        int length = value.numBytes();
        int at = out.reserve(length);
        value.writeToMemory(out.bytes(), (long) Platform.BYTE_ARRAY_OFFSET + at);
        out.endValue(column, at + length);
    }

    public static void setBinary(PacketWriter out, int column, byte[] value) {
        out.setBytes(column, value, 0, value.length);
    }

    public static void setBinary(PacketWriter out, int column, BinaryView value) {
        int length = value.numBytes();
        int at = out.reserve(length);
        value.writeToMemory(out.bytes(), (long) Platform.BYTE_ARRAY_OFFSET + at);
        out.endValue(column, at + length);
    }

    /** Copies the bytes of a variable-width value from one packet to another. */
    public static void copy(io.despina.packet.Packet from, int source, PacketWriter out, int column) {
        int start = from.valueStart(source);
        out.setBytes(column, from.bytes(), start, from.valueEnd() - start);
    }

    public DataType spark() {
        return type.spark();
    }

    public Type type() {
        return type.type;
    }

    public boolean isNullable() {
        return nullable;
    }

    /** Sets a value that is not null, of a decimal or nested type. */
    public void setObject(PacketWriter out, int column, Object value) {
        if (type.type instanceof Type.Decimal d) {
            setDecimal(out, column, d, (Decimal) value);
        } else {
            nested.clear();
            appendValue(type, value);
            out.setBytes(column, nested.bytes(), 0, nested.end());
        }
    }

    private void setDecimal(PacketWriter out, int column, Type.Decimal d, Decimal value) {
        if (!fits(d, value)) {
            if (!nullable) {
                throw new ArithmeticException(value + " does not fit into " + d.sql());
            }
            out.setNull(column);
        } else if (d.width() != Type.VARIABLE) {
            out.setLong(column, value.toUnscaledLong());
        } else {
            setUnscaled(out, column, value);
        }
    }

    private static void setUnscaled(PacketWriter out, int column, Decimal value) {
        BigDecimal exact = value.toJavaBigDecimal();
        if (exact.precision() > Decimal.MAX_LONG_DIGITS()) {
            byte[] unscaled = exact.unscaledValue().toByteArray();
            out.setBytes(column, unscaled, 0, unscaled.length);
            return;
        }
        long unscaled = value.toUnscaledLong();
        int length = (Long.SIZE - Long.numberOfLeadingZeros(unscaled ^ unscaled >> Long.SIZE - 1)) / Byte.SIZE + 1;
        int at = out.reserve(length);
        byte[] bytes = out.bytes();
        for (int k = 0; k < length; k++) {
            bytes[at + k] = (byte) (unscaled >> Byte.SIZE * (length - 1 - k));
        }
        out.endValue(column, at + length);
    }

    private static boolean fits(Type.Decimal d, Decimal value) {
        return value.precision() == d.precision() && value.scale() == d.scale()
                || value.changePrecision(d.precision(), d.scale());
    }

    /** Sets a value of any type, boxed as in Spark, or null. */
    public void set(PacketWriter out, int column, Object value) {
        if (value == null) {
            out.setNull(column);
        } else if (type.stored instanceof Type.Simple simple) {
            switch (simple) {
                case BOOLEAN -> out.setBoolean(column, (Boolean) value);
                case TINYINT -> out.setByte(column, (Byte) value);
                case SMALLINT -> out.setShort(column, (Short) value);
                case INT, DATE -> out.setInt(column, (Integer) value);
                case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> out.setLong(column, (Long) value);
                case FLOAT -> out.setFloat(column, (Float) value);
                case DOUBLE -> out.setDouble(column, (Double) value);
                case STRING -> setString(out, column, (UTF8String) value);
                case BINARY -> setBinary(out, column, (byte[]) value);
            }
        } else {
            setObject(out, column, value);
        }
    }

    /** Adds a value of variable width to the nested buffer. */
    private void appendValue(ValueType t, Object value) {
        if (t.type == Type.Simple.STRING) {
            UTF8String s = (UTF8String) value;
            int at = nested.append(s.numBytes());
            s.writeToMemory(nested.bytes(), (long) Platform.BYTE_ARRAY_OFFSET + at);
        } else if (t.type == Type.Simple.BINARY) {
            appendBytes((byte[]) value);
        } else if (t.type instanceof Type.Decimal) {
            appendBytes(((Decimal) value).toJavaBigDecimal().unscaledValue().toByteArray());
        } else if (t.type instanceof Type.Array a) {
            appendArray(t.parts[0], a.containsNull(), (ArrayData) value);
        } else if (t.type instanceof Type.MapOf m) {
            int at = nested.beginMap();
            appendArray(t.parts[0], false, ((MapData) value).keyArray());
            nested.endKeys(at);
            appendArray(t.parts[1], m.valueContainsNull(), ((MapData) value).valueArray());
        } else {
            appendStruct(t, (SpecializedGetters) value);
        }
    }

    private void appendBytes(byte[] value) {
        int at = nested.append(value.length);
        System.arraycopy(value, 0, nested.bytes(), at, value.length);
    }

    private void appendStruct(ValueType t, SpecializedGetters row) {
        int at = nested.beginStruct(t.layout);
        for (int k = 0; k < t.parts.length; k++) {
            ValueType part = t.parts[k];
            Object value = valueOf(part, row, k);
            if (value == null) {
                nested.setFieldNull(t.layout, at, k);
            } else if (part.type.width() != Type.VARIABLE) {
                putFixed(nested.fieldSlot(t.layout, at, k), value);
            } else {
                appendValue(part, value);
                nested.endField(t.layout, at, k);
            }
        }
    }

    private void appendArray(ValueType element, boolean containsNull, ArrayData array) {
        int n = array.numElements();
        int at = nested.beginArray(element.type, containsNull, n);
        for (int k = 0; k < n; k++) {
            Object value = valueOf(element, array, k);
            if (value == null) {
                if (!containsNull) {
                    throw new IllegalStateException("element " + k + " of an array without nulls is null");
                }
                nested.setElementNull(element.type, at, k);
            } else if (element.type.width() != Type.VARIABLE) {
                putFixed(nested.elementSlot(element.type, containsNull, at, k), value);
            } else {
                appendValue(element, value);
                nested.endElement(element.type, containsNull, at, k);
            }
        }
    }

    private static Object valueOf(ValueType t, SpecializedGetters from, int k) {
        if (from.isNullAt(k)) {
            return null;
        }
        if (t.type instanceof Type.Decimal d) {
            Decimal value = from.getDecimal(k, d.precision(), d.scale());
            return value.precision() == d.precision() && value.scale() == d.scale() ? value
                    : brought(value.clone(), d);
        }
        return from.get(k, t.spark());
    }

    private static Decimal brought(Decimal value, Type.Decimal d) {
        return value.changePrecision(d.precision(), d.scale()) ? value : null;
    }

    private void putFixed(int at, Object value) {
        byte[] bytes = nested.bytes();
        if (value instanceof Boolean b) {
            bytes[at] = (byte) (b ? 1 : 0);
        } else if (value instanceof Byte b) {
            bytes[at] = b;
        } else if (value instanceof Short s) {
            Bytes.putShort(bytes, at, s);
        } else if (value instanceof Integer i) {
            Bytes.putInt(bytes, at, i);
        } else if (value instanceof Long l) {
            Bytes.putLong(bytes, at, l);
        } else if (value instanceof Float f) {
            Bytes.putInt(bytes, at, Float.floatToRawIntBits(f));
        } else if (value instanceof Double d) {
            Bytes.putLong(bytes, at, Double.doubleToRawLongBits(d));
        } else {
            Bytes.putLong(bytes, at, ((Decimal) value).toUnscaledLong());
        }
    }
}
