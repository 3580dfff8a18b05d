package io.despina.packet;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Base64;
import java.util.List;

/**
 * A packet as one line of JSON, for dead letters and error messages: timestamps in ISO-8601 UTC, binary in base 64, nulls
 * written. Not meant for hot paths.
 */
public final class PacketJson {
    private static final long MICROS = 1_000_000;
    /** Of a packet, in bytes, that {@link #brief} writes down. */
    private static final int LARGEST = 1 << 16;
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder();

    private PacketJson() {
    }

    public static String text(Schema schema, Packet packet) {
        PacketJson json = new PacketJson();
        json.fields(schema.columns(), packet);
        return json.out.toString();
    }

    /**
     * The same for users who look at some packets of a running job. Of a packet beyond 64 kB only the size is told: a text of
     * megabytes takes time and memory that the job needs.
     */
    public static String brief(Schema schema, Packet packet) {
        return packet.size() > LARGEST ? "a row of " + packet.size() + " bytes" : text(schema, packet);
    }

    /** One column's value; strings and timestamps in quotes. */
    public static String value(Schema schema, Packet packet, int column) {
        PacketJson json = new PacketJson();
        json.field(schema.column(column).type(), packet, column);
        return json.out.toString();
    }

    private void fields(List<Column> columns, Packet packet) {
        out.append('{');
        for (int k = 0; k < columns.size(); k++) {
            if (k > 0) {
                out.append(", ");
            }
            string(columns.get(k).name());
            out.append(": ");
            field(columns.get(k).type(), packet, k);
        }
        out.append('}');
    }

    private void field(Type type, Packet packet, int k) {
        if (packet.isNull(k)) {
            out.append("null");
        } else if (packet.layout().isVariable(k)) {
            int from = packet.valueStart(k);
            variable(type, packet.bytes(), from, packet.valueEnd());
        } else {
            fixed(type, packet.bytes(), packet.bodyStart() + packet.layout().offset[k]);
        }
    }

    private void fixed(Type type, byte[] bytes, int at) {
        if (type instanceof Type.Decimal decimal) {
            out.append(BigDecimal.valueOf(Bytes.getLong(bytes, at), decimal.scale()).toPlainString());
            return;
        }
        switch ((Type.Simple) type.stored()) {
            case BOOLEAN -> out.append(bytes[at] != 0);
            case TINYINT -> out.append(bytes[at]);
            case SMALLINT -> out.append(Bytes.getShort(bytes, at));
            case INT -> out.append(Bytes.getInt(bytes, at));
            case BIGINT -> out.append(Bytes.getLong(bytes, at));
            case FLOAT -> number(Float.intBitsToFloat(Bytes.getInt(bytes, at)));
            case DOUBLE -> number(Double.longBitsToDouble(Bytes.getLong(bytes, at)));
            case DATE -> string(LocalDate.ofEpochDay(Bytes.getInt(bytes, at)).toString());
            case TIMESTAMP -> string(instant(Bytes.getLong(bytes, at)).toString());
            case TIMESTAMP_NTZ -> string(instant(Bytes.getLong(bytes, at)).toString().replace("Z", ""));
            case STRING, BINARY -> throw new IllegalArgumentException(type.sql() + " is of variable width");
        }
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1000);
    }

    /** JSON has no NaN and no infinity: they are written as strings. */
    private void number(double value) {
        if (Double.isFinite(value)) {
            out.append(value);
        } else {
            string(Double.toString(value));
        }
    }

    private void number(float value) {
        if (Float.isFinite(value)) {
            out.append(value);
        } else {
            string(Float.toString(value));
        }
    }

    private void variable(Type type, byte[] bytes, int from, int to) {
        if (type == Type.Simple.STRING) {
            string(new String(bytes, from, to - from, StandardCharsets.UTF_8));
        } else if (type == Type.Simple.BINARY) {
            string(Base64.getEncoder().encodeToString(java.util.Arrays.copyOfRange(bytes, from, to)));
        } else if (type instanceof Type.Decimal decimal) {
            out.append(new BigDecimal(new BigInteger(bytes, from, to - from), decimal.scale()).toPlainString());
        } else if (type instanceof Type.Struct struct) {
            Packet inner = new Packet(new PacketLayout(struct.fields()));
            fields(struct.fields(), inner.wrapBody(bytes, from, to));
        } else if (type instanceof Type.Array array) {
            array(array, bytes, from, to);
        } else if (type instanceof Type.MapOf map) {
            int keys = Bytes.getInt(bytes, from);
            int keysAt = from + Integer.BYTES;
            if (keys < 0 || keys > to - keysAt) {
                throw new MalformedPacketException("keys of " + keys + " bytes in a map of " + (to - from));
            }
            out.append("{\"keys\": ");
            array(new Type.Array(map.key(), false), bytes, keysAt, keysAt + keys);
            out.append(", \"values\": ");
            array(new Type.Array(map.value(), map.valueContainsNull()), bytes, keysAt + keys, to);
            out.append('}');
        }
    }

    private void array(Type.Array type, byte[] bytes, int from, int to) {
        int count = Bytes.getInt(bytes, from);
        int nulls = from + Integer.BYTES;
        int values = nulls + (type.containsNull() ? (count + 7) / 8 : 0);
        int width = type.element().width();
        int tail = values + count * (width == Type.VARIABLE ? Integer.BYTES : width);
        if (count < 0 || tail > to) {
            throw new MalformedPacketException("array of " + count + " elements in " + (to - from) + " bytes");
        }
        out.append('[');
        int valueFrom = tail;
        for (int k = 0; k < count; k++) {
            out.append(k > 0 ? ", " : "");
            int valueTo = width == Type.VARIABLE ? from + Bytes.getInt(bytes, values + k * Integer.BYTES) : 0;
            if (type.containsNull() && (bytes[nulls + (k >> 3)] >> (k & 7) & 1) != 0) {
                out.append("null");
            } else if (width != Type.VARIABLE) {
                fixed(type.element(), bytes, values + k * width);
            } else if (valueTo < valueFrom || valueTo > to) {
                throw new MalformedPacketException("element " + k + " ends at " + valueTo + ", beyond " + to);
            } else {
                variable(type.element(), bytes, valueFrom, valueTo);
            }
            valueFrom = width == Type.VARIABLE ? valueTo : valueFrom;
        }
        out.append(']');
    }

    private void string(String text) {
        out.append('"');
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c == '\r') {
                out.append("\\r");
            } else if (c == '\t') {
                out.append("\\t");
            } else if (c < ' ') {
                out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
