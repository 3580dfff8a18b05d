package io.despina.operator.record.value;

import io.despina.packet.Bytes;
import io.despina.packet.NestedWriter;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** A value that is no list, map or record, on its way into a row: a number, or bytes. */
public final class Scalar {
    private long number;
    private byte[] bytes;
    private int from;
    private int to;

    /** The value as a packet has it: a number, the bits of a FLOAT or DOUBLE, 1 for true, days or microseconds. */
    public void set(long value) {
        number = value;
    }

    public void set(float value) {
        number = Float.floatToRawIntBits(value);
    }

    public void set(double value) {
        number = Double.doubleToRawLongBits(value);
    }

    /** The value is {@code source[first, last)}. */
    public void set(byte[] source, int first, int last) {
        bytes = source;
        from = first;
        to = last;
    }

    /** A decimal, if its column holds it exactly. */
    public void set(BigDecimal value, Type.Decimal type) {
        BigInteger unscaled;
        try {
            unscaled = value.setScale(type.scale(), RoundingMode.UNNECESSARY).unscaledValue();
        } catch (ArithmeticException inexact) {
            throw unfit(value, type);
        }
        if (new BigDecimal(unscaled).precision() > type.precision()) {
            throw unfit(value, type);
        }
        if (type.width() == Type.VARIABLE) {
            byte[] digits = unscaled.toByteArray();
            set(digits, 0, digits.length);
        } else {
            number = unscaled.longValueExact();
        }
    }

    private static BrokenRecord unfit(BigDecimal value, Type.Decimal type) {
        return new BrokenRecord("a " + type.sql() + " cannot hold " + value);
    }

    public long number() {
        return number;
    }

    public byte[] bytes() {
        return bytes;
    }

    public int from() {
        return from;
    }

    public int to() {
        return to;
    }

    /** Writes it to a slot of a nested value, if its type has a fixed width, and else at the end. */
    public void write(Type type, NestedWriter out, int slot) {
        switch (type.width()) {
            case Long.BYTES -> Bytes.putLong(out.bytes(), slot, number);
            case Integer.BYTES -> Bytes.putInt(out.bytes(), slot, (int) number);
            case Short.BYTES -> Bytes.putShort(out.bytes(), slot, (short) number);
            case Byte.BYTES -> out.bytes()[slot] = (byte) number;
            default -> append(out);
        }
    }

    /** Adds its bytes at the end of a nested value. */
    public void append(NestedWriter out) {
        int place = out.append(to - from);
        System.arraycopy(bytes, from, out.bytes(), place, to - from);
    }
}
