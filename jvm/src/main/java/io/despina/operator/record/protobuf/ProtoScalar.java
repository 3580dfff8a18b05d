package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.BigInteger;

/** Reads a value that is no message. */
final class ProtoScalar extends ProtoValue {
    private static final long UNSIGNED = 0xFFFF_FFFFL;

    private final ProtoField field;
    private final Type type;
    /** Null for other types. */
    private final ProtoEnum symbols;
    /** What a field is that is not there; null for NULL. */
    private final ProtoLiteral absent;
    /** Whether its number is the column's as it is. */
    private final boolean isPlain;

    /** @param absent what a field is that is not there; null for NULL */
    ProtoScalar(ProtoField field, Type type, ProtoEnum symbols, ProtoLiteral absent) {
        this.field = field;
        this.type = type;
        this.symbols = symbols;
        this.absent = absent;
        isPlain = type == Type.Simple.DOUBLE && field.type() == ProtoType.DOUBLE
                || type == Type.Simple.BIGINT && field.type().isInteger() && !field.type().isUnsigned64();
    }

    /** Whether a field of the type can be read as a column of that one. */
    static boolean fits(ProtoType from, Type to) {
        if (from == ProtoType.STRING || from == ProtoType.BYTES) {
            return to == Type.Simple.STRING || to == Type.Simple.BINARY;
        }
        if (to instanceof Type.Decimal) {
            return from.isInteger();
        }
        if (!(to instanceof Type.Simple simple)) {
            return false;
        }
        return switch (simple) {
            case BOOLEAN -> from == ProtoType.BOOL;
            case TINYINT, SMALLINT, INT -> from == ProtoType.ENUM || from.isInteger() && !isLong(from);
            case BIGINT -> from == ProtoType.ENUM || from.isInteger();
            case FLOAT -> from == ProtoType.FLOAT || from.isInteger();
            case DOUBLE -> from == ProtoType.DOUBLE || from == ProtoType.FLOAT || from.isInteger();
            case STRING -> from == ProtoType.ENUM;
            default -> false;
        };
    }

    private static boolean isLong(ProtoType type) {
        return type == ProtoType.INT64 || type == ProtoType.SINT64 || type == ProtoType.SFIXED64 || type.isUnsigned64();
    }

    @Override
    void read(ProtoIndex in, int at, boolean chain, Scalar to) {
        decode(in.at(at), to);
    }

    @Override
    ProtoWay way() {
        boolean isLong = type == Type.Simple.BIGINT;
        boolean isInt = isLong || type == Type.Simple.INT;
        return switch (field.type()) {
            case STRING, BYTES -> type == Type.Simple.STRING ? ProtoWay.TEXT : ProtoWay.BYTES;
            case ENUM -> type == Type.Simple.STRING ? ProtoWay.SYMBOL : null;
            case DOUBLE -> ProtoWay.AS_IT_IS;
            case FLOAT -> type == Type.Simple.FLOAT ? ProtoWay.AS_IT_IS : ProtoWay.WIDENED;
            case BOOL -> ProtoWay.BOOLEAN;
            case INT64, SFIXED64 -> isLong ? ProtoWay.AS_IT_IS : null;
            case SINT64 -> isLong ? ProtoWay.ZIGZAG : null;
            case INT32, SFIXED32 -> isInt ? ProtoWay.INT : null;
            case SINT32 -> isInt ? ProtoWay.ZIGZAG_INT : null;
            case UINT32, FIXED32 -> isLong ? ProtoWay.UNSIGNED_INT : null;
            default -> null;
        };
    }

    @Override
    byte[] symbol(int number) {
        return symbols.passesOver(number) ? null : symbols.text(number);
    }

    /** Reads what the cursor is at: a number, or all of its bytes. */
    void decode(ByteCursor in, Scalar to) {
        if (field.type().canPack()) {
            convert(raw(field.type(), in), to);
            return;
        }
        int from = in.at();
        int end = in.end();
        if (type == Type.Simple.STRING) {
            ByteCursor.checkText(in.bytes(), from, end);
        }
        to.set(in.bytes(), from, end);
    }

    /** Whether the number that the cursor is at is a value, and not one that a closed enum does not have. Passes over it. */
    boolean isValue(ByteCursor in) {
        long raw = raw(field.type(), in);
        return symbols == null || !symbols.passesOver((int) raw);
    }

    /** A number: that of a whole one, with the bits of an unsigned one; or the bits of a FLOAT or DOUBLE. */
    private static long raw(ProtoType type, ByteCursor in) {
        return switch (type) {
            case DOUBLE, FIXED64, SFIXED64 -> in.eight();
            case FIXED32 -> in.four() & UNSIGNED;
            case FLOAT, SFIXED32 -> in.four();
            case INT32, ENUM -> (int) in.varint();
            case UINT32 -> in.varint() & UNSIGNED;
            case BOOL -> in.varint() != 0 ? 1 : 0;
            case SINT32 -> {
                int value = (int) in.varint();
                yield value >>> 1 ^ -(value & 1);
            }
            case SINT64 -> in.zigzag();
            default -> in.varint();
        };
    }

    private void convert(long raw, Scalar to) {
        if (isPlain) {
            to.set(raw);
        } else if (symbols != null && type == Type.Simple.STRING) {
            byte[] name = symbols.text((int) raw);
            to.set(name, 0, name.length);
        } else if (type instanceof Type.Decimal decimal) {
            to.set(new BigDecimal(whole(raw)), decimal);
        } else if (type == Type.Simple.DOUBLE && field.type() == ProtoType.FLOAT) {
            to.set((double) Float.intBitsToFloat((int) raw));
        } else if (type == Type.Simple.DOUBLE && field.type() != ProtoType.DOUBLE) {
            to.set(isBeyond(raw) ? whole(raw).doubleValue() : (double) raw);
        } else if (type == Type.Simple.FLOAT && field.type() != ProtoType.FLOAT) {
            to.set(isBeyond(raw) ? whole(raw).floatValue() : (float) raw);
        } else {
            to.set(field.type().isInteger() || symbols != null ? checked(raw) : raw);
        }
    }

    private boolean isBeyond(long raw) {
        return raw < 0 && field.type().isUnsigned64();
    }

    private BigInteger whole(long raw) {
        return isBeyond(raw) ? new BigInteger(Long.toUnsignedString(raw)) : BigInteger.valueOf(raw);
    }

    private long checked(long raw) {
        int unused = Long.SIZE - Byte.SIZE * type.width();
        if (isBeyond(raw) || raw << unused >> unused != raw) {
            throw new BrokenRecord("a " + type.sql() + " cannot hold " + whole(raw));
        }
        return raw;
    }

    @Override
    boolean absent(Scalar to) {
        if (absent == null) {
            return false;
        }
        if (field.type().canPack()) {
            convert(absent.number(), to);
        } else {
            to.set(absent.bytes(), 0, absent.bytes().length);
        }
        return true;
    }
}
