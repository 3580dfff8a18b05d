package io.despina.packet;

import java.util.Arrays;
import java.util.List;

/**
 * Compares two packets by a list of columns, as Spark orders, ascending where nothing else is said: NULL first, NaN greater than
 * every number, -0.0 = 0.0, strings and binaries by unsigned bytes, false before true. The two packets may be of different
 * layouts, as long as the columns compared are of the same types. Arrays, maps and structs are refused. Not thread-safe.
 */
public final class PacketOrder {
    private static final int BYTE = 0;
    private static final int SHORT = 1;
    private static final int INT = 2;
    private static final int LONG = 3;
    private static final int FLOAT = 4;
    private static final int DOUBLE = 5;
    private static final int BYTES = 6;
    private static final int BIG_DECIMAL = 7;

    private final int[] left;
    private final int[] right;
    private final int[] kinds;
    /** By column: 1, or -1 where the order is reversed; among values, and between NULL and a value. */
    private final int[] signs;
    private final int[] nullSigns;

    /** @throws IllegalArgumentException if a column has a nested type */
    public PacketOrder(PacketLayout layout, List<Integer> columns) {
        this(layout, columns, layout, columns);
    }

    private PacketOrder(PacketLayout left, List<Integer> leftColumns, PacketLayout right, List<Integer> rightColumns) {
        int n = leftColumns.size();
        this.left = new int[n];
        this.right = new int[n];
        kinds = new int[n];
        signs = new int[n];
        nullSigns = new int[n];
        Arrays.fill(signs, 1);
        Arrays.fill(nullSigns, 1);
        for (int k = 0; k < n; k++) {
            this.left[k] = leftColumns.get(k);
            this.right[k] = rightColumns.get(k);
            Type type = left.type(this.left[k]);
            if (!type.equals(right.type(this.right[k]))) {
                throw new IllegalArgumentException("cannot compare " + type.sql() + " with "
                        + right.type(this.right[k]).sql());
            }
            kinds[k] = kind(type);
        }
    }

    /**
     * Compares packets of one layout with packets of another.
     *
     * @throws IllegalArgumentException if the columns differ in number or type, or one has a nested type
     */
    public static PacketOrder between(PacketLayout left, List<Integer> leftColumns, PacketLayout right,
            List<Integer> rightColumns) {
        if (leftColumns.size() != rightColumns.size()) {
            throw new IllegalArgumentException("cannot compare " + leftColumns.size() + " columns with "
                    + rightColumns.size());
        }
        return new PacketOrder(left, leftColumns, right, rightColumns);
    }

    /**
     * Compares packets of one layout, in the directions that the keys have.
     *
     * @throws IllegalArgumentException if a column has a nested type
     */
    public static PacketOrder by(PacketLayout layout, List<SortKey> keys) {
        PacketOrder order = new PacketOrder(layout, keys.stream().map(SortKey::column).toList());
        for (int k = 0; k < keys.size(); k++) {
            order.signs[k] = keys.get(k).descending() ? -1 : 1;
            order.nullSigns[k] = keys.get(k).nullsLast() ? -1 : 1;
        }
        return order;
    }

    /** Whether values of the type have an order here. */
    public static boolean orders(Type type) {
        return type.stored() instanceof Type.Simple || type instanceof Type.Decimal;
    }

    private static int kind(Type type) {
        if (type.stored() instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN, TINYINT -> BYTE;
                case SMALLINT -> SHORT;
                case INT, DATE -> INT;
                case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> LONG;
                case FLOAT -> FLOAT;
                case DOUBLE -> DOUBLE;
                case STRING, BINARY -> BYTES;
            };
        }
        if (type instanceof Type.Decimal) {
            return type.width() == Type.VARIABLE ? BIG_DECIMAL : LONG;
        }
        throw new IllegalArgumentException("cannot order by " + type.sql());
    }

    /** Negative, zero or positive, as {@code a} comes before, with or after {@code b}. */
    public int compare(Packet a, Packet b) {
        for (int k = 0; k < kinds.length; k++) {
            int x = left[k];
            int y = right[k];
            boolean nullX = a.isNull(x);
            boolean nullY = b.isNull(y);
            int c = nullX || nullY ? nullSigns[k] * Boolean.compare(nullY, nullX)
                    : signs[k] * compareValues(kinds[k], a, x, b, y);
            if (c != 0) {
                return c;
            }
        }
        return 0;
    }

    /**
     * A number of a packet, of the left layout, that says most of its place by the first column: if it is less than another
     * packet's, this packet comes first; if they are equal, {@link #compare} knows.
     */
    public long prefix(Packet packet) {
        int column = left[0];
        if (packet.isNull(column)) {
            return nullSigns[0] > 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        long prefix = switch (kinds[0]) {
            case BYTE -> packet.getByte(column);
            case SHORT -> packet.getShort(column);
            case INT -> packet.getInt(column);
            case LONG -> packet.getLong(column);
            case FLOAT -> prefix(packet.getFloat(column));
            case DOUBLE -> prefix(packet.getDouble(column));
            case BYTES -> firstBytes(packet.bytes(), packet.valueStart(column), packet.valueEnd());
            default -> 0;
        };
        return signs[0] > 0 ? prefix : ~prefix;
    }

    /** The bits of a negative number grow as it falls. */
    private static long prefix(double value) {
        long bits = value == 0 ? 0 : Double.doubleToLongBits(value);
        return bits ^ bits >> Long.SIZE - 1 & Long.MAX_VALUE;
    }

    /** Eight bytes as one number, zeros behind those that are missing; the first bit is turned, because bytes have no sign. */
    private static long firstBytes(byte[] bytes, int from, int end) {
        long first = 0;
        for (int k = 0; k < Long.BYTES; k++) {
            first = first << Byte.SIZE | (from + k < end ? bytes[from + k] & 0xff : 0);
        }
        return first ^ Long.MIN_VALUE;
    }

    private static int compareValues(int kind, Packet a, int x, Packet b, int y) {
        return switch (kind) {
            case BYTE -> Byte.compare(a.getByte(x), b.getByte(y));
            case SHORT -> Short.compare(a.getShort(x), b.getShort(y));
            case INT -> Integer.compare(a.getInt(x), b.getInt(y));
            case LONG -> Long.compare(a.getLong(x), b.getLong(y));
            case FLOAT -> compareDoubles(a.getFloat(x), b.getFloat(y));
            case DOUBLE -> compareDoubles(a.getDouble(x), b.getDouble(y));
            case BYTES -> compareBytes(a, x, b, y);
            default -> compareBigDecimals(a, x, b, y);
        };
    }

    private static int compareDoubles(double x, double y) {
        return x == y ? 0 : Double.compare(x, y);
    }

    private static int compareBytes(Packet a, int x, Packet b, int y) {
        int from = a.valueStart(x);
        int otherFrom = b.valueStart(y);
        return Arrays.compareUnsigned(a.bytes(), from, a.valueEnd(), b.bytes(), otherFrom, b.valueEnd());
    }

    /** Both are big-endian two's complement of the same scale, of any number of bytes. */
    private static int compareBigDecimals(Packet a, int x, Packet b, int y) {
        int from = a.valueStart(x);
        int length = a.valueEnd() - from;
        int otherFrom = b.valueStart(y);
        int otherLength = b.valueEnd() - otherFrom;
        int longest = Math.max(length, otherLength);
        for (int k = 0; k < longest; k++) {
            int p = extended(a.bytes(), from, length, longest, k);
            int q = extended(b.bytes(), otherFrom, otherLength, longest, k);
            if (p != q) {
                return k == 0 ? Integer.compare(p, q) : Integer.compare(p & 0xff, q & 0xff);
            }
        }
        return 0;
    }

    /** The k-th of {@code width} bytes, by sign extension. */
    private static int extended(byte[] bytes, int from, int length, int width, int k) {
        int skipped = width - length;
        if (k >= skipped) {
            return bytes[from + k - skipped];
        }
        return length > 0 && bytes[from] < 0 ? -1 : 0;
    }
}
