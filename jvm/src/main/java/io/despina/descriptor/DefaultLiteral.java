package io.despina.descriptor;

import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether the literal behind DEFAULT is a value of its column's type. Spark's parser reads it later; nothing here loads it. */
final class DefaultLiteral {
    /** An exponent of more digits is beyond every type. */
    private static final Pattern NUMBER = Pattern.compile("([+-]?[0-9.]+([eE][+-]?[0-9]{1,4})?)(BD|[LSYDF])?",
            Pattern.CASE_INSENSITIVE);
    /** The bits of the integers that a letter behind a number makes of it. */
    private static final Map<String, Integer> BITS = Map.of("Y", Byte.SIZE, "S", Short.SIZE, "L", Long.SIZE);
    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]*");
    private static final Pattern TIME = Pattern.compile(
            "(\\d{4}-\\d\\d-\\d\\d)[ T](\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,6})?)?) ?(.*)");

    private DefaultLiteral() {
    }

    /** What is wrong with it; null if nothing is. */
    static String problem(String literal, Type type, boolean nullable) {
        if (literal.equalsIgnoreCase("NULL")) {
            return nullable ? null : "the column is NOT NULL";
        }
        char first = literal.charAt(0);
        boolean fits = switch (literal.toUpperCase(Locale.ROOT).split("['\"]", 2)[0].trim()) {
            case "TRUE", "FALSE" -> type == Type.Simple.BOOLEAN;
            case "" -> type == Type.Simple.STRING;
            case "X" -> type == Type.Simple.BINARY && HEX.matcher(text(literal)).matches();
            case "DATE" -> type == Type.Simple.DATE && isDate(text(literal));
            case "TIMESTAMP", "TIMESTAMP_LTZ" -> type == Type.Simple.TIMESTAMP && isTime(text(literal), true);
            case "TIMESTAMP_NTZ" -> type == Type.Simple.TIMESTAMP_NTZ && isTime(text(literal), false);
            default -> !Character.isLetter(first) && isNumber(literal, type);
        };
        return fits ? null : type.sql() + " cannot hold it";
    }

    private static String text(String literal) {
        return literal.substring(literal.indexOf(literal.charAt(literal.length() - 1)) + 1, literal.length() - 1);
    }

    private static boolean isNumber(String literal, Type type) {
        Matcher number = NUMBER.matcher(literal);
        if (!number.matches()) {
            return false;
        }
        BigDecimal value = new BigDecimal(number.group(1));
        if (!isLiteral(value, number.group(2) != null, number.group(3))) {
            return false;
        }
        if (type instanceof Type.Decimal decimal) {
            BigDecimal held = value.setScale(Math.min(decimal.scale(), Math.max(0, value.scale())), RoundingMode.HALF_UP);
            return held.compareTo(value) == 0 && value.precision() - value.scale() <= decimal.precision() - decimal.scale();
        }
        if (type == Type.Simple.FLOAT || type == Type.Simple.DOUBLE) {
            return type == Type.Simple.DOUBLE || Float.isFinite(value.floatValue());
        }
        int bits = type == Type.Simple.TINYINT ? 8 : type == Type.Simple.SMALLINT ? 16 : type == Type.Simple.INT ? 32
                : type == Type.Simple.BIGINT ? 64 : 0;
        return bits > 0 && isWhole(value, bits);
    }

    /** Whether Spark's parser takes it: a number is a decimal, unless it has an exponent or a letter behind it. */
    private static boolean isLiteral(BigDecimal value, boolean hasExponent, String letter) {
        String word = letter == null ? "" : letter.toUpperCase(Locale.ROOT);
        Integer bits = BITS.get(word);
        return bits != null ? !hasExponent && value.scale() == 0 && isWhole(value, bits)
                : word.equals("F") ? Float.isFinite(value.floatValue())
                : hasExponent && word.isEmpty() || word.equals("D") ? Double.isFinite(value.doubleValue())
                : Math.max(value.precision(), value.scale()) <= Type.Decimal.MAX_PRECISION
                && value.precision() - value.scale() <= Type.Decimal.MAX_PRECISION;
    }

    private static boolean isWhole(BigDecimal value, int bits) {
        return value.stripTrailingZeros().scale() <= 0 && value.precision() - value.scale() < 20
                && value.toBigInteger().bitLength() < bits;
    }

    private static boolean isDate(String text) {
        try {
            LocalDate.parse(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static boolean isTime(String text, boolean zoned) {
        Matcher time = TIME.matcher(text);
        try {
            if (time.matches()) {
                LocalDateTime.parse(time.group(1) + "T" + time.group(2));
                return time.group(5).isEmpty() || zoned && ZoneId.of(time.group(5)) != null;
            }
            return isDate(text);
        } catch (DateTimeException e) {
            return false;
        }
    }
}
