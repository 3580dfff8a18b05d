package io.despina.operator.record;

import io.despina.operator.record.csv.CellParser;
import io.despina.operator.record.csv.Utf8;
import io.despina.operator.record.value.RowValues;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The values of one line, by column. A number goes to any column of numbers that can hold it as it is. */
final class InfluxValues {
    private static final int INTEGER_DIGITS = 18;
    /** No column of numbers needs more. */
    private static final int MOST_DIGITS = 400;

    /** A value that its column cannot hold. */
    static final class UnfitValue extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnfitValue(String why) {
            super(why, null, false, false);
        }
    }

    private final Schema schema;
    private final CellParser cells;
    private final Type[] types;
    private final RowValues values;

    InfluxValues(Schema schema, CellParser cells) {
        this.schema = schema;
        this.cells = cells;
        types = schema.columns().stream().map(column -> column.type()).toArray(Type[]::new);
        values = new RowValues(schema);
    }

    void begin() {
        values.begin();
    }

    /** @param isLine whether the line has the text as it is, and else the reader has made it */
    private void text(int column, byte[] source, int first, int last, boolean isLine) {
        refuseTwice(column);
        if (!Utf8.isValid(source, first, last)) {
            throw new UnfitValue("`" + schema.column(column).name() + "` is a text that is not UTF-8");
        }
        if (isLine) {
            values.bytes(column, source, first, last);
        } else {
            values.copy(column, source, first, last);
        }
    }

    void tag(int column, byte[] source, int first, int last, boolean isLine) {
        if (types[column] != Type.Simple.STRING) {
            throw unfit(column, "is a tag, which is text");
        }
        text(column, source, first, last, isLine);
    }

    void string(int column, byte[] source, int first, int last, boolean isLine) {
        if (types[column] != Type.Simple.STRING) {
            throw unfit(column, "is a text");
        }
        text(column, source, first, last, isLine);
    }

    void time(int column, long micros) {
        refuseTwice(column);
        values.number(column, micros);
    }

    /** @param column of the time, or -1 if nobody wants it */
    void time(int column, byte[] line, int first, int last, InfluxOptions.Precision precision) {
        long count = whole(line, first, last);
        if (column >= 0) {
            try {
                time(column, Math.multiplyExact(Math.floorDiv(count, precision.perMicro), precision.micros));
            } catch (ArithmeticException e) {
                throw new UnfitValue("time " + count + " is beyond what a TIMESTAMP holds; is `precision` right?");
            }
        }
    }

    private long whole(byte[] line, int first, int last) {
        if (cells.integer(line, first, last, Long.MIN_VALUE, Long.MAX_VALUE)) {
            return cells.value();
        }
        String word = new String(line, first, last - first, StandardCharsets.UTF_8);
        try {
            return Long.parseLong(word);
        } catch (NumberFormatException e) {
            throw new UnfitValue("`" + word + "` is no time");
        }
    }

    /** A number, or true or false. @param column -1 if nobody wants it */
    void literal(int column, byte[] line, int first, int last) {
        if (first == last) {
            throw new UnfitValue("a field without a value");
        }
        if (column < 0) {
            return;
        }
        byte begin = line[first];
        byte end = line[last - 1];
        boolean isWord = begin == 't' || begin == 'T' || begin == 'f' || begin == 'F';
        if (isWord != (types[column] == Type.Simple.BOOLEAN)) {
            throw unfit(column, "is " + word(line, first, last));
        }
        refuseTwice(column);
        boolean fits = isWord ? bool(column, line, first, last)
                : end == 'i' || end == 'u' ? integer(column, line, first, last - 1, end == 'u')
                : number(column, line, first, last);
        if (!fits) {
            throw unfit(column, "is " + word(line, first, last));
        }
    }

    private boolean bool(int column, byte[] line, int first, int last) {
        boolean isTrue = line[first] == 't' || line[first] == 'T';
        values.number(column, isTrue ? 1 : 0);
        if (last - first == 1) {
            return true;
        }
        String word = word(line, first, last);
        String whole = isTrue ? "true" : "false";
        return word.equals(whole) || word.equals(whole.toUpperCase(Locale.ROOT))
                || word.equals(Character.toUpperCase(whole.charAt(0)) + whole.substring(1));
    }

    private boolean integer(int column, byte[] line, int first, int last, boolean unsigned) {
        if (unsigned && line[first] == '-' || !isWhole(line, first, last)) {
            return false;
        }
        if (last - first <= INTEGER_DIGITS && types[column] instanceof Type.Simple simple && simple != Type.Simple.STRING) {
            cells.integer(line, first, last, Long.MIN_VALUE, Long.MAX_VALUE);
            return put(column, simple, cells.value());
        }
        return exact(column, word(line, first, last));
    }

    private static boolean isWhole(byte[] line, int first, int last) {
        int start = first < last && (line[first] == '-' || line[first] == '+') ? first + 1 : first;
        for (int k = start; k < last; k++) {
            if (line[k] < '0' || line[k] > '9') {
                return false;
            }
        }
        return start < last;
    }

    private boolean put(int column, Type.Simple type, long whole) {
        switch (type) {
            case FLOAT -> {
                values.number(column, Float.floatToRawIntBits(whole));
                return (long) (float) whole == whole && whole != Long.MAX_VALUE;
            }
            case DOUBLE -> {
                values.number(column, Double.doubleToRawLongBits(whole));
                return (long) (double) whole == whole && whole != Long.MAX_VALUE;
            }
            default -> {
                values.number(column, whole);
                long most = Long.MAX_VALUE >> Long.SIZE - Byte.SIZE * type.width();
                return type != Type.Simple.STRING && whole >= -most - 1 && whole <= most;
            }
        }
    }

    private boolean number(int column, byte[] line, int first, int last) {
        boolean read = types[column] == Type.Simple.DOUBLE ? cells.doubleBits(line, first, last)
                : types[column] == Type.Simple.FLOAT && cells.floatBits(line, first, last);
        if (read) {
            values.number(column, cells.value());
            return types[column] == Type.Simple.DOUBLE ? Double.isFinite(Double.longBitsToDouble(cells.value()))
                    : Float.isFinite(Float.intBitsToFloat((int) cells.value()));
        }
        return exact(column, word(line, first, last));
    }

    /** Into a column of whole numbers or decimals, if nothing is lost. */
    private boolean exact(int column, String word) {
        if (word.length() > MOST_DIGITS) {
            return false;
        }
        try {
            BigDecimal number = new BigDecimal(word);
            if (Math.abs((long) number.scale()) > MOST_DIGITS) {
                return false;       // to write it out would take time and memory
            }
            if (types[column] instanceof Type.Decimal decimal) {
                return put(column, decimal, number.setScale(decimal.scale(), RoundingMode.UNNECESSARY));
            }
            return types[column] instanceof Type.Simple simple && simple != Type.Simple.STRING
                    && put(column, simple, number.longValueExact());
        } catch (ArithmeticException | NumberFormatException e) {
            return false;
        }
    }

    private boolean put(int column, Type.Decimal decimal, BigDecimal number) {
        if (number.precision() > decimal.precision()) {
            return false;
        }
        if (decimal.width() == Type.VARIABLE) {
            byte[] unscaled = number.unscaledValue().toByteArray();
            values.bytes(column, unscaled, 0, unscaled.length);
        } else {
            values.number(column, number.unscaledValue().longValueExact());
        }
        return true;
    }

    private void refuseTwice(int column) {
        if (values.has(column)) {
            throw new UnfitValue("`" + schema.column(column).name() + "` is there twice");
        }
    }

    private UnfitValue unfit(int column, String what) {
        return new UnfitValue("`" + schema.column(column).name() + "` " + what + ", and its column is "
                + types[column].sql());
    }

    private static String word(byte[] line, int first, int last) {
        return new String(line, first, last - first, StandardCharsets.UTF_8);
    }

    void write(PacketWriter out) {
        values.write(out);
    }
}
