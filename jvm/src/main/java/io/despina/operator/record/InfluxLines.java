package io.despina.operator.record;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Writes packets as InfluxDB's line protocol. A NULL is left out, and so is a tag without text. */
final class InfluxLines {
    private static final String OF_MEASUREMENT = ", ";
    private static final String OF_TAG = ",= ";
    private static final String OF_TEXT = "\"\\";

    private final InfluxOptions options;
    private final Type[] types;
    /** The name before each value, with its separator: {@code ,host=}. */
    private final byte[][] keys;
    private final int[] tags;
    private final int[] fields;

    public InfluxLines(InfluxOptions options, Schema schema) {
        this.options = options;
        types = schema.columns().stream().map(column -> column.type()).toArray(Type[]::new);
        keys = schema.columns().stream().map(column -> key(column.name())).toArray(byte[][]::new);
        tags = IntStream.range(0, types.length).filter(options.tags()::contains).toArray();
        fields = IntStream.range(0, types.length).filter(k -> k != options.name() && k != options.time()
                && !options.tags().contains(k)).toArray();
    }

    private static byte[] key(String name) {
        byte[] plain = name.getBytes(StandardCharsets.UTF_8);
        LineBuffer out = new LineBuffer();
        out.write(',');
        escaped(plain, 0, plain.length, OF_TAG, out);
        out.write('=');
        return Arrays.copyOf(out.bytes(), out.size());
    }

    /**
     * Writes a line, with its end.
     *
     * @throws IllegalArgumentException if the packet cannot be one; something may have been written by then
     */
    public void write(Packet packet, LineBuffer out) {
        measurement(packet, out);
        for (int k : tags) {
            if (!packet.isNull(k)) {
                int from = packet.valueStart(k);
                int to = packet.valueEnd();
                if (from < to) {
                    out.write(keys[k], 0, keys[k].length);
                    word(packet.bytes(), from, to, OF_TAG, out);
                }
            }
        }
        boolean any = false;
        for (int k : fields) {
            if (!packet.isNull(k)) {
                int comma = any ? 0 : 1;
                if (!any) {
                    out.write(' ');
                }
                out.write(keys[k], comma, keys[k].length - comma);
                field(packet, k, out);
                any = true;
            }
        }
        if (!any) {
            throw new IllegalArgumentException("a line has a field, and all of this one are NULL");
        }
        int time = options.time();
        if (time >= 0 && !packet.isNull(time)) {
            out.write(' ');
            InfluxOptions.Precision precision = options.precision();
            out.number(Math.floorDiv(Math.multiplyExact(packet.getLong(time), precision.perMicro), precision.micros));
        }
        out.write('\n');
    }

    private void measurement(Packet packet, LineBuffer out) {
        if (options.name() < 0) {
            byte[] name = options.measurement().getBytes(StandardCharsets.UTF_8);
            word(name, 0, name.length, OF_MEASUREMENT, out);
            return;
        }
        if (packet.isNull(options.name()) || packet.valueStart(options.name()) == packet.valueEnd()) {
            throw new IllegalArgumentException("a line has a measurement, and this one has no name");
        }
        int from = packet.valueStart(options.name());
        int to = packet.valueEnd();
        if (packet.bytes()[from] == '#') {
            throw new IllegalArgumentException("a line that begins with # is a comment");
        }
        word(packet.bytes(), from, to, OF_MEASUREMENT, out);
    }

    /** A text that no quotes are around. */
    private static void word(byte[] text, int from, int to, String marks, LineBuffer out) {
        if (text[to - 1] == '\\') {
            throw new IllegalArgumentException("a tag, or a measurement, cannot end with a backslash");
        }
        escaped(text, from, to, marks, out);
    }

    private static void escaped(byte[] text, int from, int to, String marks, LineBuffer out) {
        for (int k = from; k < to; k++) {
            if (text[k] == '\n' || text[k] == '\r') {
                throw new IllegalArgumentException("a text with a line end in it");
            }
            if (marks.indexOf(text[k]) >= 0) {
                out.write('\\');
            }
            out.write(text[k]);
        }
    }

    private void field(Packet packet, int k, LineBuffer out) {
        switch ((Type.Simple) types[k]) {
            case BOOLEAN -> out.ascii(packet.getBoolean(k) ? "true" : "false");
            case TINYINT -> whole(packet.getByte(k), out);
            case SMALLINT -> whole(packet.getShort(k), out);
            case INT -> whole(packet.getInt(k), out);
            case BIGINT -> whole(packet.getLong(k), out);
            case FLOAT -> {
                finite(Float.isFinite(packet.getFloat(k)));
                out.ascii(Float.toString(packet.getFloat(k)));
            }
            case DOUBLE -> {
                finite(Double.isFinite(packet.getDouble(k)));
                out.ascii(Double.toString(packet.getDouble(k)));
            }
            default -> {
                out.write('"');
                int from = packet.valueStart(k);
                escaped(packet.bytes(), from, packet.valueEnd(), OF_TEXT, out);
                out.write('"');
            }
        }
    }

    private static void whole(long value, LineBuffer out) {
        out.number(value);
        out.write('i');
    }

    private static void finite(boolean is) {
        if (!is) {
            throw new IllegalArgumentException("a line holds neither NaN nor infinity");
        }
    }
}
