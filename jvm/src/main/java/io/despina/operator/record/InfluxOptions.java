package io.despina.operator.record;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a graph says of line protocol.
 *
 * @param measurement of all lines; null for any
 * @param name        the column that has the measurement; -1 for none
 * @param time        the column that has a line's time; -1 for none
 * @param precision   what a time counts
 * @param tags        columns that are written as tags
 */
public record InfluxOptions(String measurement, int name, int time, Precision precision, Set<Integer> tags) {
    private static final String MEASUREMENT = "measurement";
    private static final String MEASUREMENT_COLUMN = "measurementColumn";
    private static final String TIME_COLUMN = "timeColumn";
    private static final String PRECISION = "precision";
    private static final String TAGS = "tags";
    /** The options that a graph may write. */
    public static final List<String> NAMES = List.of(MEASUREMENT, MEASUREMENT_COLUMN, TIME_COLUMN, PRECISION, TAGS);
    /** The column of the time, if no option names another one. */
    private static final String TIME = "time";
    private static final int NONE = -1;

    /** What a time counts since 1970. */
    public enum Precision {
        NS(1_000, 1), US(1, 1), MS(1, 1_000), S(1, 1_000_000);

        /** Of the count, in a microsecond; and microseconds in one of the count. One of both is 1. */
        final long perMicro;
        final long micros;

        Precision(long perMicro, long micros) {
            this.perMicro = perMicro;
            this.micros = micros;
        }
    }

    /** Something in the options that does not fit, or a column that a line cannot hold. */
    public static final class InfluxException extends Exception {
        private static final long serialVersionUID = 1L;
        private final String option;

        InfluxException(String option, String message) {
            super(message);
            this.option = option;
        }

        /** Null if it is a column. */
        public String option() {
            return option;
        }
    }

    /**
     * Reads them.
     *
     * @param written whether lines are written: then each has a measurement, and a field
     * @throws InfluxException if they do not fit the columns
     */
    public static InfluxOptions of(Map<String, String> given, Schema schema, boolean written) throws InfluxException {
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.putAll(given);
        String measurement = options.get(MEASUREMENT);
        int name = column(MEASUREMENT_COLUMN, options.get(MEASUREMENT_COLUMN), schema, Type.Simple.STRING);
        int time = options.containsKey(TIME_COLUMN) || schema.indexOf(TIME) < 0
                ? column(TIME_COLUMN, options.get(TIME_COLUMN), schema, Type.Simple.TIMESTAMP)
                : column(TIME_COLUMN, TIME, schema, Type.Simple.TIMESTAMP);
        if (written && measurement != null && (measurement.startsWith("#") || isUnwritable(measurement))) {
            throw new InfluxException(MEASUREMENT, "no line can begin with the measurement `" + measurement + "`");
        }
        if (measurement != null && (measurement.isEmpty() || name != NONE)) {
            throw new InfluxException(MEASUREMENT, measurement.isEmpty() ? "a measurement has a name"
                    : "`measurement` and `measurementColumn` exclude each other");
        }
        if (written && measurement == null && name == NONE) {
            throw new InfluxException(null, "a line has a measurement: write the option `measurement` for one name, or "
                    + "`measurementColumn` for the column that has it");
        }
        InfluxOptions read = new InfluxOptions(measurement, name, time, precision(options.get(PRECISION)),
                tags(options.get(TAGS), schema, written));
        read.refuseColumns(schema, written);
        return read;
    }

    /** A name that no backslash helps. */
    private static boolean isUnwritable(String word) {
        return word.endsWith("\\") || word.indexOf('\n') >= 0 || word.indexOf('\r') >= 0;
    }

    private static int column(String option, String column, Schema schema, Type.Simple type) throws InfluxException {
        if (column == null) {
            return NONE;
        }
        int found = schema.indexOf(column);
        if (found < 0) {
            throw new InfluxException(option, "there is no column `" + column + "` for `" + option + "`");
        }
        if (schema.column(found).type() != type) {
            throw new InfluxException(option, "column `" + column + "` of `" + option + "` is "
                    + schema.column(found).type().sql() + ", not " + type.sql());
        }
        return found;
    }

    private static Precision precision(String word) throws InfluxException {
        for (Precision each : Precision.values()) {
            if (word == null || each.name().equalsIgnoreCase(word)) {
                return each;
            }
        }
        throw new InfluxException(PRECISION, "`precision` is ns, us, ms or s, not `" + word + "`");
    }

    private static Set<Integer> tags(String listed, Schema schema, boolean written) throws InfluxException {
        List<Integer> tags = new ArrayList<>();
        if (listed != null && !written) {
            throw new InfluxException(TAGS, "what is a tag a line says; `tags` is for what is written");
        }
        for (String tag : listed == null ? new String[0] : listed.split(",")) {
            tags.add(column(TAGS, tag.trim(), schema, Type.Simple.STRING));
        }
        return Set.copyOf(tags);
    }

    private static boolean isPlain(Type type) {
        return type instanceof Type.Simple simple && switch (simple) {
            case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING -> true;
            default -> false;
        };
    }

    private void refuseColumns(Schema schema, boolean written) throws InfluxException {
        boolean anyField = false;
        for (int k = 0; k < schema.size(); k++) {
            Column column = schema.column(k);
            if (k == time || k == name) {
                continue;
            }
            anyField |= !tags.contains(k);
            if (written && isUnwritable(column.name())) {
                throw new InfluxException(null, "no line can have a field `" + column.name() + "`");
            }
            if (written ? !isPlain(column.type()) : !isPlain(column.type()) && !(column.type() instanceof Type.Decimal)) {
                throw new InfluxException(null, "format influx cannot hold column `" + column.name() + "` of type "
                        + column.type().sql() + (column.type() == Type.Simple.TIMESTAMP
                        ? ": a line has one time, in column `time` or that of the option `timeColumn`" : ""));
            }
        }
        if (written && !anyField) {
            throw new InfluxException(null, "a line has a field, and each column is a tag, the time or the measurement");
        }
    }
}
