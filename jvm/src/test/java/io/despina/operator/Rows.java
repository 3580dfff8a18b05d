package io.despina.operator;

import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Packets as plain Java values and back, for tests: numbers as their boxes, DATE as days (Integer), TIMESTAMP as
 * microseconds (Long), DECIMAL as BigDecimal, BINARY as ByteBuffer (byte[] is taken too), ARRAY and STRUCT as List,
 * MAP as Map. Numbers are narrowed or widened to the column's type when written.
 */
public final class Rows {
    private static final int REGION = 512;

    private Rows() {
    }

    /** A row; unlike List.of it takes nulls. */
    public static List<Object> row(Object... values) {
        return Arrays.asList(values);
    }

    /** A writer into memory that grows; its packets are {@code bytes[0, position)}. */
    public static PacketWriter growing(Schema schema) {
        PacketWriter writer = new PacketWriter(schema.layout(), Rows::grow);
        writer.open(new byte[REGION], 0, REGION);
        return writer;
    }

    private static void grow(PacketWriter writer, int needed) {
        int finished = writer.position();
        byte[] larger = Arrays.copyOf(writer.bytes(), 2 * (finished + needed));
        writer.move(larger, finished, larger.length);
    }

    /** The rows as packets, one after the other. */
    public static byte[] encode(Schema schema, List<? extends List<?>> rows) {
        PacketWriter writer = growing(schema);
        rows.forEach(row -> write(writer, schema, row));
        return Arrays.copyOf(writer.bytes(), writer.position());
    }

    /** A row as a packet. */
    public static Packet packet(Schema schema, Object... values) {
        byte[] bytes = encode(schema, List.of(row(values)));
        Packet packet = new Packet(schema.layout());
        packet.wrap(bytes, 0, bytes.length);
        return packet;
    }

    public static void write(PacketWriter out, Schema schema, List<?> row) {
        if (row.size() != schema.size()) {
            throw new IllegalArgumentException(row + " is no row of " + schema);
        }
        out.begin();
        for (int k = 0; k < row.size(); k++) {
            Object value = row.get(k);
            Type type = schema.column(k).type();
            if (value == null) {
                out.setNull(k);
            } else {
                byte[] encoded = encode(type, value);
                if (type.width() == Type.VARIABLE) {
                    out.setBytes(k, encoded, 0, encoded.length);
                } else {
                    out.setFixed(k, encoded, 0);
                }
            }
        }
        out.commit();
    }

    public static List<List<Object>> decode(Schema schema, byte[] bytes, int from, int to) {
        List<List<Object>> rows = new ArrayList<>();
        Packet packet = new Packet(schema.layout());
        for (int at = from; at < to;) {
            at = packet.wrap(bytes, at, to);
            rows.add(read(packet, schema));
        }
        return rows;
    }

    public static List<Object> read(Packet packet, Schema schema) {
        List<Object> row = new ArrayList<>();
        for (int k = 0; k < schema.size(); k++) {
            Type type = schema.column(k).type();
            if (packet.isNull(k)) {
                row.add(null);
            } else if (type.width() == Type.VARIABLE) {
                row.add(decode(type, packet.copyOfValue(k)));
            } else {
                row.add(fixed(type, packet, k));
            }
        }
        return row;
    }

    private static Object fixed(Type type, Packet packet, int k) {
        byte[] bytes = new byte[Long.BYTES];
        switch (type.width()) {
            case Byte.BYTES -> bytes[0] = packet.getByte(k);
            case Short.BYTES -> Bytes.putShort(bytes, 0, packet.getShort(k));
            case Integer.BYTES -> Bytes.putInt(bytes, 0, packet.getInt(k));
            default -> Bytes.putLong(bytes, 0, packet.getLong(k));
        }
        return decode(type, bytes);
    }

    private static byte[] encode(Type type, Object value) {
        if (type instanceof Type.Decimal decimal) {
            BigInteger unscaled = new BigDecimal(value.toString()).setScale(decimal.scale()).unscaledValue();
            return type.width() == Type.VARIABLE ? unscaled.toByteArray() : eight(unscaled.longValueExact());
        }
        if (type instanceof Type.Array array) {
            return encodeArray(array, (List<?>) value);
        }
        if (type instanceof Type.Struct struct) {
            Schema schema = new Schema(struct.fields());
            byte[] packet = encode(schema, List.of((List<?>) value));
            Packet view = new Packet(schema.layout());
            view.wrap(packet, 0, packet.length);
            return Arrays.copyOfRange(packet, view.bodyStart(), view.end());
        }
        if (type instanceof Type.MapOf map) {
            return encodeMap(map, (Map<?, ?>) value);
        }
        return encodeSimple((Type.Simple) type.stored(), value);
    }

    private static byte[] encodeSimple(Type.Simple type, Object value) {
        return switch (type) {
            case BOOLEAN -> new byte[] {(byte) ((Boolean) value ? 1 : 0)};
            case TINYINT -> new byte[] {((Number) value).byteValue()};
            case SMALLINT -> Arrays.copyOf(eight(((Number) value).shortValue()), Short.BYTES);
            case INT, DATE -> Arrays.copyOf(eight(((Number) value).intValue()), Integer.BYTES);
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> eight(((Number) value).longValue());
            case FLOAT -> Arrays.copyOf(eight(Float.floatToRawIntBits(((Number) value).floatValue())), Integer.BYTES);
            case DOUBLE -> eight(Double.doubleToRawLongBits(((Number) value).doubleValue()));
            case STRING -> ((String) value).getBytes(StandardCharsets.UTF_8);
            case BINARY -> value instanceof byte[] bytes ? bytes : ((ByteBuffer) value).array();
        };
    }

    private static byte[] eight(long value) {
        byte[] bytes = new byte[Long.BYTES];
        Bytes.putLong(bytes, 0, value);
        return bytes;
    }

    private static byte[] four(int value) {
        return Arrays.copyOf(eight(value), Integer.BYTES);
    }

    private static byte[] encodeArray(Type.Array type, List<?> values) {
        int n = values.size();
        byte[] nulls = new byte[type.containsNull() ? (n + 7) / 8 : 0];
        ByteArrayOutputStream slots = new ByteArrayOutputStream();
        ByteArrayOutputStream tail = new ByteArrayOutputStream();
        boolean variable = type.element().width() == Type.VARIABLE;
        int head = Integer.BYTES + nulls.length + n * (variable ? Integer.BYTES : type.element().width());
        for (int k = 0; k < n; k++) {
            Object value = values.get(k);
            if (value == null) {
                nulls[k >> 3] |= (byte) (1 << (k & 7));
            }
            byte[] bytes = value == null ? new byte[variable ? 0 : type.element().width()] : encode(type.element(), value);
            (variable ? tail : slots).writeBytes(bytes);
            if (variable) {
                slots.writeBytes(four(head + tail.size()));
            }
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(four(n));
        all.writeBytes(nulls);
        all.writeBytes(slots.toByteArray());
        all.writeBytes(tail.toByteArray());
        return all.toByteArray();
    }

    private static byte[] encodeMap(Type.MapOf map, Map<?, ?> value) {
        byte[] keys = encodeArray(new Type.Array(map.key(), false), new ArrayList<>(value.keySet()));
        byte[] values = encodeArray(new Type.Array(map.value(), map.valueContainsNull()), new ArrayList<>(value.values()));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(four(keys.length));
        all.writeBytes(keys);
        all.writeBytes(values);
        return all.toByteArray();
    }

    private static Object decode(Type type, byte[] bytes) {
        if (type instanceof Type.Decimal decimal) {
            BigInteger unscaled = type.width() == Type.VARIABLE ? new BigInteger(bytes)
                    : BigInteger.valueOf(Bytes.getLong(bytes, 0));
            return new BigDecimal(unscaled, decimal.scale());
        }
        if (type instanceof Type.Array array) {
            return decodeArray(array, bytes);
        }
        if (type instanceof Type.Struct struct) {
            Schema schema = new Schema(struct.fields());
            return read(new Packet(schema.layout()).wrapBody(bytes, 0, bytes.length), schema);
        }
        if (type instanceof Type.MapOf map) {
            int keys = Integer.BYTES + Bytes.getInt(bytes, 0);
            List<Object> names = decodeArray(new Type.Array(map.key(), false), Arrays.copyOfRange(bytes, Integer.BYTES, keys));
            List<Object> values = decodeArray(new Type.Array(map.value(), map.valueContainsNull()),
                    Arrays.copyOfRange(bytes, keys, bytes.length));
            Map<Object, Object> all = new LinkedHashMap<>();
            for (int k = 0; k < names.size(); k++) {
                all.put(names.get(k), values.get(k));
            }
            return all;
        }
        return decodeSimple((Type.Simple) type.stored(), bytes);
    }

    private static Object decodeSimple(Type.Simple type, byte[] bytes) {
        return switch (type) {
            case BOOLEAN -> bytes[0] != 0;
            case TINYINT -> bytes[0];
            case SMALLINT -> Bytes.getShort(bytes, 0);
            case INT, DATE -> Bytes.getInt(bytes, 0);
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> Bytes.getLong(bytes, 0);
            case FLOAT -> Float.intBitsToFloat(Bytes.getInt(bytes, 0));
            case DOUBLE -> Double.longBitsToDouble(Bytes.getLong(bytes, 0));
            case STRING -> new String(bytes, StandardCharsets.UTF_8);
            case BINARY -> ByteBuffer.wrap(bytes);
        };
    }

    private static List<Object> decodeArray(Type.Array type, byte[] bytes) {
        int n = Bytes.getInt(bytes, 0);
        boolean variable = type.element().width() == Type.VARIABLE;
        int width = variable ? Integer.BYTES : type.element().width();
        int slots = Integer.BYTES + (type.containsNull() ? (n + 7) / 8 : 0);
        int from = slots + n * width;
        List<Object> values = new ArrayList<>();
        for (int k = 0; k < n; k++) {
            boolean isNull = type.containsNull() && (bytes[Integer.BYTES + (k >> 3)] >> (k & 7) & 1) != 0;
            int to = variable ? Bytes.getInt(bytes, slots + k * width) : 0;
            byte[] value = variable ? Arrays.copyOfRange(bytes, from, to)
                    : Arrays.copyOf(Arrays.copyOfRange(bytes, slots + k * width, slots + (k + 1) * width), Long.BYTES);
            values.add(isNull ? null : decode(type.element(), value));
            from = variable ? to : from;
        }
        return values;
    }

    /** A nullable column. */
    public static Column column(String name, Type type) {
        return new Column(name, type, true);
    }
}
