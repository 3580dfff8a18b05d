package io.despina.packet;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The type of a column: Spark SQL's types, as far as a packet holds them. */
public sealed interface Type {

    /** What {@link #width} returns for values in the tail. */
    int VARIABLE = -1;

    /** Bytes in the packet's fixed part, or {@link #VARIABLE}. */
    int width();

    /** The type whose encoding its values have: another type if the two differ only in meaning. */
    default Type stored() {
        return this;
    }

    /** The type as Spark SQL writes it, for example {@code DECIMAL(10,2)}. */
    String sql();

    /** Types without parameters. */
    enum Simple implements Type {
        BOOLEAN(1), TINYINT(1), SMALLINT(2), INT(4), BIGINT(8), FLOAT(4), DOUBLE(8),
        /** Days since 1970-01-01. */
        DATE(4),
        /** Microseconds since 1970-01-01T00:00Z. */
        TIMESTAMP(8),
        /** Microseconds since 1970-01-01T00:00, in no zone. */
        TIMESTAMP_NTZ(8),
        /** UTF-8. */
        STRING(VARIABLE), BINARY(VARIABLE);

        private final int width;

        Simple(int width) {
            this.width = width;
        }

        @Override
        public int width() {
            return width;
        }

        @Override
        public String sql() {
            return name();
        }
    }

    /** The type of what is always NULL, as the elements of {@code array()}. */
    record Void() implements Type {
        @Override
        public Type stored() {
            return Simple.TINYINT;
        }

        @Override
        public int width() {
            return stored().width();
        }

        @Override
        public String sql() {
            return "VOID";
        }
    }

    /** Exact decimal: the unscaled value, 8 bytes up to 18 digits, big-endian two's complement in the tail beyond. */
    record Decimal(int precision, int scale) implements Type {
        public static final int MAX_PRECISION = 38;
        public static final int MAX_LONG_DIGITS = 18;

        public Decimal {
            if (precision < 1 || precision > MAX_PRECISION || scale < 0 || scale > precision) {
                throw new IllegalArgumentException("DECIMAL(" + precision + "," + scale + "): 1 <= precision <= "
                        + MAX_PRECISION + " and 0 <= scale <= precision");
            }
        }

        @Override
        public int width() {
            return precision <= MAX_LONG_DIGITS ? Long.BYTES : VARIABLE;
        }

        @Override
        public String sql() {
            return "DECIMAL(" + precision + "," + scale + ")";
        }
    }

    /**
     * A span of time: months, or microseconds.
     *
     * @param from the largest unit that its text names
     * @param to   the smallest; both are years and months, or neither
     */
    record Interval(Unit from, Unit to) implements Type {

        /** By size, the largest first. */
        public enum Unit { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND }

        public Interval {
            if (from.compareTo(to) > 0 || isMonths(from) != isMonths(to)) {
                throw new IllegalArgumentException("INTERVAL " + from + " TO " + to + ": YEAR TO MONTH, or in the order DAY, "
                        + "HOUR, MINUTE, SECOND");
            }
        }

        private static boolean isMonths(Unit unit) {
            return unit.compareTo(Unit.MONTH) <= 0;
        }

        /** Whether its values count months, not microseconds. */
        public boolean isMonths() {
            return isMonths(from);
        }

        @Override
        public Type stored() {
            return isMonths() ? Simple.INT : Simple.BIGINT;
        }

        @Override
        public int width() {
            return stored().width();
        }

        @Override
        public String sql() {
            return "INTERVAL " + from + (from == to ? "" : " TO " + to);
        }
    }

    /** A list of one type. */
    record Array(Type element, boolean containsNull) implements Type {
        @Override
        public int width() {
            return VARIABLE;
        }

        @Override
        public String sql() {
            return "ARRAY<" + element.sql() + ">";
        }
    }

    /** Keys to values; keys are never null. */
    record MapOf(Type key, Type value, boolean valueContainsNull) implements Type {
        @Override
        public int width() {
            return VARIABLE;
        }

        @Override
        public String sql() {
            return "MAP<" + key.sql() + ", " + value.sql() + ">";
        }
    }

    /** A record within a record. */
    record Struct(List<Column> fields) implements Type {
        public Struct {
            fields = List.copyOf(fields);
        }

        @Override
        public int width() {
            return VARIABLE;
        }

        @Override
        public String sql() {
            return fields.stream()
                    .map(f -> Column.quoted(f.name()) + ": " + f.type().sql() + (f.nullable() ? "" : " NOT NULL"))
                    .collect(Collectors.joining(", ", "STRUCT<", ">"));
        }
    }

    /** The simple type of that SQL name (any case), or null. Accepts Spark's synonyms. */
    static Type simple(String name) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "BOOLEAN" -> Simple.BOOLEAN;
            case "TINYINT", "BYTE" -> Simple.TINYINT;
            case "SMALLINT", "SHORT" -> Simple.SMALLINT;
            case "INT", "INTEGER" -> Simple.INT;
            case "BIGINT", "LONG" -> Simple.BIGINT;
            case "FLOAT", "REAL" -> Simple.FLOAT;
            case "DOUBLE" -> Simple.DOUBLE;
            case "DATE" -> Simple.DATE;
            case "TIMESTAMP", "TIMESTAMP_LTZ" -> Simple.TIMESTAMP;
            case "TIMESTAMP_NTZ" -> Simple.TIMESTAMP_NTZ;
            case "STRING" -> Simple.STRING;
            case "BINARY" -> Simple.BINARY;
            default -> null;
        };
    }
}
