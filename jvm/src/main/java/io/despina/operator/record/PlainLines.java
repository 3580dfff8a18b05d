package io.despina.operator.record;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.FileFormat;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes the common types as CSV or JSON lines, byte by byte, as Spark's writers do. For a record whose text needs quotes,
 * escapes or anything uncommon it returns false, and Spark's formatter writes it.
 */
final class PlainLines {
    private static final Set<String> CSV_OPTIONS = Set.of("sep", "delimiter", "header", "timestampformat",
            "timestampntzformat", "timezone", "encoding", "charset", "compression", "codec", "linesep");
    private static final Set<String> JSON_OPTIONS = Set.of("ignorenullfields", "timestampformat", "timestampntzformat",
            "timezone", "encoding", "charset", "compression", "codec", "linesep");
    private static final Set<String> UTC = Set.of("UTC", "Z", "ETC/UTC");
    private static final String SEPARATORS = ",;\t|";

    private final boolean json;
    private final byte separator;
    private final boolean header;
    private final boolean writeNulls;
    private final Type.Simple[] types;
    private final List<String> names;
    /** JSON: the name and colon of each column. */
    private final byte[][] labels;
    private final TimePattern zoned;
    private final TimePattern plain;

    private PlainLines(boolean json, Schema schema, Map<String, String> options) {
        this.json = json;
        separator = (byte) separator(options).charAt(0);
        header = options.getOrDefault("header", "false").equalsIgnoreCase("true");
        writeNulls = options.getOrDefault("ignoreNullFields", "true").equalsIgnoreCase("false");
        names = schema.names();
        types = schema.columns().stream().map(c -> (Type.Simple) c.type()).toArray(Type.Simple[]::new);
        labels = names.stream().map(name -> ('"' + name + "\":").getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
        zoned = TimePattern.of(options.getOrDefault("timestampFormat", TimePattern.ZONED));
        plain = TimePattern.of(options.getOrDefault("timestampNTZFormat", TimePattern.PLAIN));
    }

    private static String separator(Map<String, String> options) {
        String text = options.getOrDefault("sep", options.getOrDefault("delimiter", ","));
        return text.equals("\\t") ? "\t" : text;
    }

    /** @return null if this writer does not support the schema or the options */
    static PlainLines of(RecordFormat.Write records, Schema schema) {
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.putAll(records.options());
        boolean json = records.format() == FileFormat.JSON;
        Set<String> known = json ? JSON_OPTIONS : CSV_OPTIONS;
        boolean common = options.keySet().stream().allMatch(key -> known.contains(key.toLowerCase(Locale.ROOT)))
                && UTC.contains(options.getOrDefault("timeZone", records.timeZone()).toUpperCase(Locale.ROOT))
                && options.getOrDefault("encoding", options.getOrDefault("charset", "UTF-8")).equalsIgnoreCase("UTF-8")
                && options.getOrDefault("lineSep", "\n").equals("\n")
                && (json || separator(options).length() == 1 && SEPARATORS.contains(separator(options)))
                && schema.names().stream().allMatch(name -> name.matches("[A-Za-z_][A-Za-z0-9_]*"))
                && schema.columns().stream().allMatch(column -> isCommon(column.type()));
        if (!common) {
            return null;
        }
        PlainLines lines = new PlainLines(json, schema, options);
        return lines.zoned == null || lines.plain == null ? null : lines;
    }

    private static boolean isCommon(Type type) {
        return type instanceof Type.Simple simple && switch (simple) {
            case BINARY -> false;
            default -> true;
        };
    }

    /** @return false if there is a header that Spark's formatter must write */
    boolean head(LineBuffer out) {
        if (header) {
            out.ascii(String.join(String.valueOf((char) separator), names));
            out.write('\n');
        }
        return true;
    }

    /** @return false if Spark's formatter must write the record; the caller then cuts off what was written of it */
    boolean write(Packet packet, LineBuffer out) {
        return json ? writeJson(packet, out) : writeCsv(packet, out);
    }

    private boolean writeJson(Packet packet, LineBuffer out) {
        out.write('{');
        boolean first = true;
        for (int k = 0; k < types.length; k++) {
            boolean isNull = packet.isNull(k);
            if (isNull && !writeNulls) {
                continue;
            }
            if (!first) {
                out.write(',');
            }
            first = false;
            out.write(labels[k], 0, labels[k].length);
            if (isNull) {
                out.ascii("null");
            } else if (!writeJsonValue(packet, k, out)) {
                return false;
            }
        }
        out.write('}');
        out.write('\n');
        return true;
    }

    private boolean writeJsonValue(Packet packet, int k, LineBuffer out) {
        return switch (types[k]) {
            case STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ -> {
                out.write('"');
                boolean written = writeValue(packet, k, out);
                out.write('"');
                yield written;
            }
            default -> writeValue(packet, k, out);
        };
    }

    private boolean writeCsv(Packet packet, LineBuffer out) {
        int before = out.size();
        for (int k = 0; k < types.length; k++) {
            if (k > 0) {
                out.write(separator);
            }
            if (!packet.isNull(k) && !writeValue(packet, k, out)) {
                return false;
            }
        }
        boolean empty = out.size() == before;
        out.write('\n');
        return !empty;
    }

    private boolean writeValue(Packet packet, int k, LineBuffer out) {
        switch (types[k]) {
            case BOOLEAN -> out.ascii(packet.getBoolean(k) ? "true" : "false");
            case TINYINT -> out.number(packet.getByte(k));
            case SMALLINT -> out.number(packet.getShort(k));
            case INT -> out.number(packet.getInt(k));
            case BIGINT -> out.number(packet.getLong(k));
            case FLOAT -> {
                float value = packet.getFloat(k);
                out.ascii(Float.toString(value));
                return Float.isFinite(value);
            }
            case DOUBLE -> {
                double value = packet.getDouble(k);
                out.ascii(Double.toString(value));
                return Double.isFinite(value);
            }
            case DATE -> {
                return plain.date(packet.getInt(k), out);
            }
            case TIMESTAMP -> {
                return zoned.timestamp(packet.getLong(k), out);
            }
            case TIMESTAMP_NTZ -> {
                return plain.timestamp(packet.getLong(k), out);
            }
            default -> {
                return writeString(packet, k, out);
            }
        }
        return true;
    }

    /** Writes text that both formats write unchanged, except an empty CSV field. Spark writes text beyond ASCII. */
    private boolean writeString(Packet packet, int k, LineBuffer out) {
        int from = packet.valueStart(k);
        int to = packet.valueEnd();
        byte[] bytes = packet.bytes();
        for (int at = from; at < to; at++) {
            byte b = bytes[at];
            if (b < ' ' || b == '"' || b == '\\' || !json && (b == separator || b == '#')) {
                return false;
            }
        }
        if (!json && (from == to || bytes[from] == ' ' || bytes[to - 1] == ' ')) {
            return false;
        }
        out.write(bytes, from, to - from);
        return true;
    }
}
