package io.despina.packet;

/**
 * A view of an array in its packet. {@link #wrap} checks that count, null bits and elements' slots are within the value; ends
 * found in slots are checked on each use. The picture is in {@code package-info}.
 */
public final class PacketArray {
    private final Type element;
    private final boolean containsNull;
    private final int width;

    private byte[] bytes;
    private int start;
    private int end;
    private int count;
    /** Where the first element, or its slot, begins. */
    private int elements;
    private int valueEnd;

    public PacketArray(Type element, boolean containsNull) {
        this.element = element;
        this.containsNull = containsNull;
        this.width = slotWidth(element);
    }

    /** Bytes per element before the tail. */
    static int slotWidth(Type element) {
        return element.width() == Type.VARIABLE ? Integer.BYTES : element.width();
    }

    /**
     * Moves this view to {@code region[from, to)}.
     *
     * @throws MalformedPacketException if the elements exceed the region
     */
    public PacketArray wrap(byte[] region, int from, int to) {
        if (from < 0 || to > region.length || to - from < Integer.BYTES) {
            throw new MalformedPacketException("array of " + (to - from) + " bytes at " + from);
        }
        int n = Bytes.getInt(region, from);
        long nullBytes = containsNull ? (n + 7L) / 8 : 0;
        if (n < 0 || Integer.BYTES + nullBytes + (long) n * width > to - from) {
            throw new MalformedPacketException("array of " + n + " elements in " + (to - from) + " bytes at " + from);
        }
        bytes = region;
        start = from;
        end = to;
        count = n;
        elements = from + Integer.BYTES + (int) nullBytes;
        return this;
    }

    public Type element() {
        return element;
    }

    public boolean containsNull() {
        return containsNull;
    }

    public byte[] bytes() {
        return bytes;
    }

    public int count() {
        return count;
    }

    public boolean isNull(int k) {
        check(k);
        return containsNull && (bytes[start + Integer.BYTES + (k >> 3)] >> (k & 7) & 1) != 0;
    }

    public boolean getBoolean(int k) {
        return getByte(k) != 0;
    }

    public byte getByte(int k) {
        return bytes[fixedStart(k)];
    }

    public short getShort(int k) {
        return Bytes.getShort(bytes, fixedStart(k));
    }

    public int getInt(int k) {
        return Bytes.getInt(bytes, fixedStart(k));
    }

    public long getLong(int k) {
        return Bytes.getLong(bytes, fixedStart(k));
    }

    public float getFloat(int k) {
        return Float.intBitsToFloat(getInt(k));
    }

    public double getDouble(int k) {
        return Double.longBitsToDouble(getLong(k));
    }

    /**
     * Finds a variable-width element.
     *
     * @return where in {@link #bytes} it begins; {@link #valueEnd} is then where it ends
     */
    public int valueStart(int k) {
        check(k);
        int tail = elements - start + count * Integer.BYTES;
        int from = k == 0 ? tail : Bytes.getInt(bytes, elements + (k - 1) * Integer.BYTES);
        int to = Bytes.getInt(bytes, elements + k * Integer.BYTES);
        if (from < tail || to < from || to > end - start) {
            throw new MalformedPacketException("element " + k + " lies at " + from + " to " + to + " of an array of "
                    + (end - start) + " bytes");
        }
        valueEnd = start + to;
        return start + from;
    }

    /** The end of the element that {@link #valueStart} found last. */
    public int valueEnd() {
        return valueEnd;
    }

    /** Where in {@link #bytes} an element of fixed width begins. */
    public int fixedStart(int k) {
        check(k);
        return elements + k * width;
    }

    private void check(int k) {
        if (k < 0 || k >= count) {
            throw new IndexOutOfBoundsException("element " + k + " of " + count);
        }
    }
}
