package io.despina.expr.catalyst.codegen;

import io.despina.expr.TypeBytes;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueType;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.Column;
import io.despina.packet.Type;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import org.apache.spark.sql.catalyst.trees.SQLQueryContext;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;

/**
 * The objects that generated code refers to, as bytes. Only the kinds listed here have a form. Only this class creates objects
 * when it reads, so a file cannot control deserialization.
 */
public final class References {

    private enum Kind { NULL, BOOLEAN, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, STRING, UTF8, BINARY, DECIMAL, ZONE, CONTEXT,
            READER, WRITER, TYPE }

    /** An object has no form as bytes. */
    public static final class NoFormException extends Exception {
        private static final long serialVersionUID = 1L;

        public NoFormException(Object reference) {
            super(reference.getClass().getName());
        }
    }

    private References() {
    }

    public static void write(Object[] references, DataOutput out) throws IOException, NoFormException {
        out.writeInt(references.length);
        for (Object reference : references) {
            write(reference, out);
        }
    }

    /** Reads a new copy of each, because some hold buffers of their own. */
    public static Object[] read(DataInput in) throws IOException {
        Object[] references = new Object[in.readInt()];
        for (int k = 0; k < references.length; k++) {
            references[k] = readOne(in);
        }
        return references;
    }

    private static void write(Object reference, DataOutput out) throws IOException, NoFormException {
        if (reference == null) {
            kind(Kind.NULL, out);
        } else if (reference instanceof Number number && !(reference instanceof BigDecimal)
                && !(reference instanceof BigInteger)) {
            writeNumber(number, out);
        } else if (reference instanceof Boolean value) {
            kind(Kind.BOOLEAN, out);
            out.writeBoolean(value);
        } else if (reference instanceof String text) {
            kind(Kind.STRING, out);
            writeBytes(text.getBytes(StandardCharsets.UTF_8), out);
        } else if (reference instanceof UTF8String text) {
            kind(Kind.UTF8, out);
            writeBytes(text.getBytes(), out);
        } else if (reference instanceof byte[] bytes) {
            kind(Kind.BINARY, out);
            writeBytes(bytes, out);
        } else if (reference instanceof ZoneId zone) {
            kind(Kind.ZONE, out);
            out.writeUTF(zone.getId());
        } else {
            writeOurs(reference, out);
        }
    }

    private static void writeNumber(Number number, DataOutput out) throws IOException, NoFormException {
        if (number instanceof Byte value) {
            kind(Kind.BYTE, out);
            out.writeByte(value);
        } else if (number instanceof Short value) {
            kind(Kind.SHORT, out);
            out.writeShort(value);
        } else if (number instanceof Integer value) {
            kind(Kind.INT, out);
            out.writeInt(value);
        } else if (number instanceof Long value) {
            kind(Kind.LONG, out);
            out.writeLong(value);
        } else if (number instanceof Float value) {
            kind(Kind.FLOAT, out);
            out.writeInt(Float.floatToRawIntBits(value));
        } else if (number instanceof Double value) {
            kind(Kind.DOUBLE, out);
            out.writeLong(Double.doubleToRawLongBits(value));
        } else {
            throw new NoFormException(number);
        }
    }

    private static void writeOurs(Object reference, DataOutput out) throws IOException, NoFormException {
        if (reference instanceof Decimal decimal) {
            kind(Kind.DECIMAL, out);
            out.writeByte(decimal.precision());
            out.writeByte(decimal.scale());
            writeBytes(decimal.toJavaBigDecimal().unscaledValue().toByteArray(), out);
        } else if (reference instanceof SQLQueryContext context) {
            kind(Kind.CONTEXT, out);
            writeContext(context, out);
        } else if (reference instanceof ValueType reader) {
            kind(Kind.READER, out);
            TypeBytes.write(reader.type, out);
        } else if (reference instanceof ValueWriter writer) {
            kind(Kind.WRITER, out);
            TypeBytes.write(writer.type(), out);
            out.writeBoolean(writer.isNullable());
        } else {
            writeType(reference, out);
        }
    }

    /** Only a type that is the same one when it is read: ours know no comments, and no collations but Spark's usual one. */
    private static void writeType(Object reference, DataOutput out) throws IOException, NoFormException {
        Type type = reference instanceof DataType of ? SparkTypes.type(of) : null;
        if (type == null || !SparkTypes.spark(type).equals(reference)) {
            throw new NoFormException(reference);
        }
        kind(Kind.TYPE, out);
        TypeBytes.write(type, out);
    }

    private static void writeContext(SQLQueryContext context, DataOutput out) throws IOException, NoFormException {
        for (int k = 0; k < context.productArity(); k++) {
            Object value = ((Option<?>) context.productElement(k)).getOrElse(() -> null);
            write(value, out);
        }
    }

    private static Object readOne(DataInput in) throws IOException {
        Kind kind = Kind.values()[in.readByte()];
        return switch (kind) {
            case NULL -> null;
            case BOOLEAN -> in.readBoolean();
            case BYTE -> in.readByte();
            case SHORT -> in.readShort();
            case INT -> in.readInt();
            case LONG -> in.readLong();
            case FLOAT -> Float.intBitsToFloat(in.readInt());
            case DOUBLE -> Double.longBitsToDouble(in.readLong());
            case STRING -> new String(readBytes(in), StandardCharsets.UTF_8);
            case UTF8 -> UTF8String.fromBytes(readBytes(in));
            case BINARY -> readBytes(in);
            case DECIMAL -> readDecimal(in);
            case ZONE -> ZoneId.of(in.readUTF());
            case CONTEXT -> new SQLQueryContext(option(in), option(in), option(in), option(in), option(in), option(in),
                    option(in));
            case READER -> ValueType.of(TypeBytes.readType(in));
            case TYPE -> SparkTypes.spark(TypeBytes.readType(in));
            case WRITER -> new ValueWriter(new Column("value", TypeBytes.readType(in), in.readBoolean()));
        };
    }

    private static Decimal readDecimal(DataInput in) throws IOException {
        int precision = in.readByte();
        int scale = in.readByte();
        return Decimal.apply(new BigDecimal(new BigInteger(readBytes(in)), scale), precision, scale);
    }

    @SuppressWarnings("unchecked")      // the type that was written
    private static <T> Option<T> option(DataInput in) throws IOException {
        return Option.apply((T) readOne(in));
    }

    private static void kind(Kind kind, DataOutput out) throws IOException {
        out.writeByte(kind.ordinal());
    }

    public static void writeBytes(byte[] bytes, DataOutput out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    public static byte[] readBytes(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
