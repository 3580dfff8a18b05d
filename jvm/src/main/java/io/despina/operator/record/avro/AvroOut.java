package io.despina.operator.record.avro;

import io.despina.packet.Bytes;
import io.despina.packet.Type;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Writes values of one type, which are not nested, under a schema. */
final class AvroOut extends AvroSink {
    private static final long THOUSAND = 1_000;
    private static final int VARINT_BITS = 7;
    private static final int LOW_BITS = 0x7F;

    /** What is written as what. */
    private enum WriteAs { BOOLEAN, NUMBER, MILLIS, NANOS, FOUR, EIGHT, FLOAT_AS_DOUBLE, BYTES, FIXED, UUID, SYMBOL, DECIMAL }

    private final WriteAs form;
    private final Type type;
    private final Schema schema;

    private AvroOut(WriteAs form, Type type, Schema schema) {
        this.form = form;
        this.type = type;
        this.schema = schema;
    }

    /** Null if a schema cannot hold the type. */
    static AvroOut of(Schema schema, Type type) {
        WriteAs form = type instanceof Type.Decimal decimal ? decimal(schema, decimal)
                : type instanceof Type.Simple simple ? simple(schema, simple) : null;
        return form == null ? null : new AvroOut(form, type, schema);
    }

    private static WriteAs decimal(Schema schema, Type.Decimal type) {
        return schema.getLogicalType() instanceof LogicalTypes.Decimal decimal && decimal.getScale() >= type.scale()
                && decimal.getPrecision() - decimal.getScale() >= type.precision() - type.scale() ? WriteAs.DECIMAL : null;
    }

    private static WriteAs simple(Schema schema, Type.Simple type) {
        Schema.Type to = schema.getType();
        String logical = String.valueOf(schema.getObjectProp("logicalType"));
        return switch (type) {
            case BOOLEAN -> to == Schema.Type.BOOLEAN ? WriteAs.BOOLEAN : null;
            case TINYINT, SMALLINT, INT -> to == Schema.Type.INT || to == Schema.Type.LONG ? WriteAs.NUMBER : null;
            case BIGINT -> to == Schema.Type.LONG ? WriteAs.NUMBER : null;
            case FLOAT -> to == Schema.Type.FLOAT ? WriteAs.FOUR : to == Schema.Type.DOUBLE ? WriteAs.FLOAT_AS_DOUBLE : null;
            case DOUBLE -> to == Schema.Type.DOUBLE ? WriteAs.EIGHT : null;
            case DATE -> logical.equals("date") ? WriteAs.NUMBER : null;
            case TIMESTAMP -> time(logical, "timestamp-");
            case TIMESTAMP_NTZ -> time(logical, "local-timestamp-");
            case STRING -> to == Schema.Type.STRING || to == Schema.Type.BYTES ? WriteAs.BYTES
                    : to == Schema.Type.ENUM ? WriteAs.SYMBOL
                    : to == Schema.Type.FIXED && logical.equals("uuid") ? WriteAs.UUID : null;
            case BINARY -> to == Schema.Type.BYTES ? WriteAs.BYTES : to == Schema.Type.FIXED ? WriteAs.FIXED : null;
        };
    }

    private static WriteAs time(String logical, String prefix) {
        return logical.equals(prefix + "millis") ? WriteAs.MILLIS : logical.equals(prefix + "micros") ? WriteAs.NUMBER
                : logical.equals(prefix + "nanos") ? WriteAs.NANOS : null;
    }

    @Override
    void value(byte[] bytes, int from, int to, OutputStream out) throws IOException {
        switch (form) {
            case BOOLEAN -> out.write(bytes[from]);
            case NUMBER -> zigzag(number(bytes, from), out);
            case MILLIS -> zigzag(Math.floorDiv(Bytes.getLong(bytes, from), THOUSAND), out);
            case NANOS -> zigzag(Math.multiplyExact(Bytes.getLong(bytes, from), THOUSAND), out);
            case FOUR -> out.write(bytes, from, Integer.BYTES);
            case EIGHT -> out.write(bytes, from, Long.BYTES);
            case FLOAT_AS_DOUBLE -> eight(Double.doubleToRawLongBits(Float.intBitsToFloat(Bytes.getInt(bytes, from))), out);
            case BYTES -> bytes(bytes, from, to, out);
            case FIXED -> fixed(bytes, from, to, out);
            case DECIMAL -> decimal(bytes, from, to, out);
            default -> text(new String(bytes, from, to - from, StandardCharsets.UTF_8), out);
        }
    }

    private long number(byte[] bytes, int at) {
        return switch (type.width()) {
            case Byte.BYTES -> bytes[at];
            case Short.BYTES -> Bytes.getShort(bytes, at);
            case Integer.BYTES -> Bytes.getInt(bytes, at);
            default -> Bytes.getLong(bytes, at);
        };
    }

    private static void eight(long bits, OutputStream out) throws IOException {
        for (int k = 0; k < Long.SIZE; k += Byte.SIZE) {
            out.write((int) (bits >>> k));
        }
    }

    static void zigzag(long value, OutputStream out) throws IOException {
        long rest = value << 1 ^ value >> Long.SIZE - 1;
        while ((rest & ~LOW_BITS) != 0) {
            out.write((int) (rest & LOW_BITS) | LOW_BITS + 1);
            rest >>>= VARINT_BITS;
        }
        out.write((int) rest);
    }

    static void bytes(byte[] bytes, int from, int to, OutputStream out) throws IOException {
        zigzag(to - from, out);
        out.write(bytes, from, to - from);
    }

    private void fixed(byte[] bytes, int from, int to, OutputStream out) throws IOException {
        if (to - from != schema.getFixedSize()) {
            throw new IllegalArgumentException(AvroNames.of(schema) + " has " + schema.getFixedSize() + " bytes, not "
                    + (to - from));
        }
        out.write(bytes, from, to - from);
    }

    private void text(String text, OutputStream out) throws IOException {
        if (form == WriteAs.UUID) {
            UUID uuid = UUID.fromString(text);
            out.write(ByteBuffer.allocate(2 * Long.BYTES).putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits()).array());
            return;
        }
        List<String> symbols = schema.getEnumSymbols();
        if (!schema.hasEnumSymbol(text)) {
            throw new IllegalArgumentException(AvroNames.of(schema) + " has no `" + text + "`: it has "
                    + String.join(", ", symbols));
        }
        zigzag(schema.getEnumOrdinal(text), out);
    }

    private void decimal(byte[] bytes, int from, int to, OutputStream out) throws IOException {
        BigInteger unscaled = type.width() == Type.VARIABLE ? new BigInteger(bytes, from, to - from)
                : BigInteger.valueOf(Bytes.getLong(bytes, from));
        int scale = ((LogicalTypes.Decimal) schema.getLogicalType()).getScale();
        byte[] digits = new BigDecimal(unscaled, ((Type.Decimal) type).scale()).setScale(scale, RoundingMode.UNNECESSARY)
                .unscaledValue().toByteArray();
        if (schema.getType() == Schema.Type.BYTES) {
            bytes(digits, 0, digits.length, out);
            return;
        }
        for (int k = digits.length; k < schema.getFixedSize(); k++) {
            out.write(digits[0] < 0 ? -1 : 0);
        }
        out.write(digits);
    }
}
