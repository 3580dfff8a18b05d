package io.despina.operator.record.protobuf;

import io.despina.packet.Bytes;
import io.despina.packet.Type;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** Writes a value that is neither nested nor a message: a number, a text, bytes, the name of an enum. */
final class ProtoNumber extends ProtoSink {
    private static final long MOST_UNSIGNED = 0xFFFF_FFFFL;

    private final Type type;
    /** Null for other types. */
    private final ProtoEnum symbols;

    ProtoNumber(ProtoField field, Type type, ProtoEnum symbols) {
        super(field);
        this.type = type;
        this.symbols = symbols;
    }

    /** Whether a column of the type can be written as a field of that one. */
    static boolean fits(Type from, ProtoType to) {
        if (from instanceof Type.Decimal decimal) {
            return decimal.scale() == 0 && to.isUnsigned64();
        }
        if (!(from instanceof Type.Simple simple)) {
            return false;
        }
        return switch (simple) {
            case BOOLEAN -> to == ProtoType.BOOL;
            case TINYINT, SMALLINT, INT -> to.isInteger() || to == ProtoType.ENUM;
            case BIGINT -> to.isInteger() && to != ProtoType.INT32 && to != ProtoType.SINT32 && to != ProtoType.SFIXED32;
            case FLOAT -> to == ProtoType.FLOAT || to == ProtoType.DOUBLE;
            case DOUBLE -> to == ProtoType.DOUBLE;
            case STRING -> to == ProtoType.STRING || to == ProtoType.BYTES || to == ProtoType.ENUM;
            case BINARY -> to == ProtoType.BYTES;
            default -> false;
        };
    }

    @Override
    boolean isZero(byte[] bytes, int from, int to) {
        return field().type().canPack() ? raw(bytes, from, to) == 0 : from == to;
    }

    @Override
    void value(byte[] bytes, int from, int to, ProtoOut out) {
        if (!field().type().canPack()) {
            out.bytes(bytes, from, to);
            return;
        }
        long raw = raw(bytes, from, to);
        switch (field().type()) {
            case DOUBLE, FIXED64, SFIXED64 -> out.eight(raw);
            case FLOAT, FIXED32, SFIXED32 -> out.four((int) raw);
            case SINT32, SINT64 -> out.varint(raw << 1 ^ raw >> Long.SIZE - 1);
            default -> out.varint(raw);
        }
    }

    /** The number as it is written, before its encoding: the bits of a float or a double. */
    private long raw(byte[] bytes, int from, int to) {
        if (type == Type.Simple.STRING) {
            String name = new String(bytes, from, to - from, StandardCharsets.UTF_8);
            Integer number = symbols.number(name);
            if (number == null) {
                throw new IllegalArgumentException("enum " + symbols.name() + " has no `"
                        + name + "`: it has " + symbols.values());
            }
            return number;
        }
        if (type instanceof Type.Decimal) {
            return unsigned(type.width() == Type.VARIABLE ? new BigInteger(bytes, from, to - from)
                    : BigInteger.valueOf(Bytes.getLong(bytes, from)));
        }
        if (type == Type.Simple.FLOAT && field().type() == ProtoType.DOUBLE) {
            return Double.doubleToRawLongBits(Float.intBitsToFloat(Bytes.getInt(bytes, from)));
        }
        long number = switch (type.width()) {
            case Byte.BYTES -> bytes[from];
            case Short.BYTES -> Bytes.getShort(bytes, from);
            case Integer.BYTES -> Bytes.getInt(bytes, from);
            default -> Bytes.getLong(bytes, from);
        };
        check(number);
        return number;
    }

    private void check(long number) {
        ProtoType to = field().type();
        boolean isShort = to == ProtoType.UINT32 || to == ProtoType.FIXED32;
        if ((isShort || to.isUnsigned64()) && number < 0 || isShort && number > MOST_UNSIGNED) {
            throw unfit(number);
        }
    }

    private long unsigned(BigInteger value) {
        if (value.signum() < 0 || value.bitLength() > Long.SIZE) {
            throw unfit(value);
        }
        return value.longValue();
    }

    private IllegalArgumentException unfit(Number value) {
        return new IllegalArgumentException("`" + field().name() + "` is " + field().type().word() + ", which cannot hold "
                + value);
    }
}
