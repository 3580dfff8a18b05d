package io.despina.operator.record.avro;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/** Reads a value that is not nested. */
final class AvroScalar extends AvroValue {
    private static final long THOUSAND = 1_000;

    /** What is read as what. */
    enum ReadAs {
        BOOLEAN, INT, LONG,
        /** To a type of fewer bits. */
        SHORTER, LONG_AS_FLOAT, LONG_AS_DOUBLE, FLOAT, FLOAT_AS_DOUBLE, DOUBLE, BYTES, TEXT, FIXED, FIXED_TEXT, SYMBOL, UUID,
        DECIMAL, FIXED_DECIMAL,
        /** Counts as microseconds. */
        MILLIS, NANOS
    }

    private final ReadAs form;
    private final Type type;
    /** Of a value of fixed size. */
    private final int size;
    /** Of a decimal, as it is written; set once. */
    private int scale;
    private final byte[][] symbols;

    private AvroScalar(ReadAs form, Type type, int size, byte[][] symbols) {
        this.form = form;
        this.type = type;
        this.size = size;
        this.symbols = symbols;
    }

    static AvroScalar of(ReadAs form, Type type) {
        return new AvroScalar(form, type, 0, null);
    }

    static AvroScalar fixed(ReadAs form, Type type, int size) {
        return new AvroScalar(form, type, size, null);
    }

    /** @param size in bytes; -1 if each value says it */
    static AvroScalar decimal(Type.Decimal type, int size, int scale) {
        AvroScalar read = new AvroScalar(size < 0 ? ReadAs.DECIMAL : ReadAs.FIXED_DECIMAL, type, size, null);
        read.scale = scale;
        return read;
    }

    static AvroScalar symbol(List<String> symbols) {
        return new AvroScalar(ReadAs.SYMBOL, Type.Simple.STRING, 0,
                symbols.stream().map(each -> each.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new));
    }

    @Override
    boolean read(ByteCursor in, Scalar to) {
        switch (form) {
            case BOOLEAN -> to.set(bool(in));
            case INT -> to.set((long) in.zigzagInt());
            case LONG -> to.set(in.zigzag());
            case SHORTER -> to.set(shorter(in.zigzagInt()));
            case LONG_AS_FLOAT -> to.set((float) in.zigzag());
            case LONG_AS_DOUBLE -> to.set((double) in.zigzag());
            case FLOAT -> to.set((long) in.four());
            case FLOAT_AS_DOUBLE -> to.set((double) Float.intBitsToFloat(in.four()));
            case DOUBLE -> to.set(in.eight());
            case MILLIS -> to.set(micros(in.zigzag()));
            case NANOS -> to.set(wholeMicros(in.zigzag()));
            default -> bytes(in, to);
        }
        return true;
    }

    private void bytes(ByteCursor in, Scalar to) {
        if (form == ReadAs.SYMBOL) {
            byte[] symbol = symbols[index(in, symbols.length)];
            to.set(symbol, 0, symbol.length);
            return;
        }
        boolean isFixed = form == ReadAs.FIXED
                || form == ReadAs.FIXED_TEXT || form == ReadAs.FIXED_DECIMAL || form == ReadAs.UUID;
        int from = in.take(isFixed ? size : in.zigzag());
        byte[] bytes = in.bytes();
        switch (form) {
            case TEXT, FIXED_TEXT -> ByteCursor.checkText(bytes, from, in.at());
            case DECIMAL, FIXED_DECIMAL -> {
                decimal(bytes, from, in.at() - from, to);
                return;
            }
            case UUID -> {
                ByteBuffer halves = ByteBuffer.wrap(bytes, from, size).order(ByteOrder.BIG_ENDIAN);
                byte[] text = new UUID(halves.getLong(), halves.getLong()).toString().getBytes(StandardCharsets.US_ASCII);
                to.set(text, 0, text.length);
                return;
            }
            default -> { }
        }
        to.set(bytes, from, in.at());
    }

    private static long bool(ByteCursor in) {
        byte value = in.next();
        if (value != 0 && value != 1) {
            throw new BrokenRecord("a boolean that is " + value);
        }
        return value;
    }

    private long shorter(int value) {
        long most = (1L << Byte.SIZE * type.width() - 1) - 1;
        if (value > most || value < -most - 1) {
            throw new BrokenRecord("a " + type.sql() + " cannot hold " + value);
        }
        return value;
    }

    private static long micros(long millis) {
        try {
            return Math.multiplyExact(millis, THOUSAND);
        } catch (ArithmeticException beyond) {
            throw new BrokenRecord("the time " + millis + " ms is beyond what a TIMESTAMP holds");
        }
    }

    private static long wholeMicros(long nanos) {
        if (nanos % THOUSAND != 0) {
            throw new BrokenRecord("the time " + nanos + " ns is no whole microsecond, and a TIMESTAMP counts these: read it as "
                    + "BIGINT");
        }
        return nanos / THOUSAND;
    }

    private void decimal(byte[] bytes, int from, int length, Scalar to) {
        if (length == 0 || length > Type.Decimal.MAX_PRECISION) {
            throw new BrokenRecord("a decimal of " + length + " bytes");
        }
        to.set(new BigDecimal(new BigInteger(bytes, from, length), scale), (Type.Decimal) type);
    }
}
