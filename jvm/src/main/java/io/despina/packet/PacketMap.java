package io.despina.packet;

/** A view of a map in its packet: an array of keys, an array of values. */
public final class PacketMap {
    private final PacketArray keys;
    private final PacketArray values;

    public PacketMap(Type.MapOf type) {
        keys = new PacketArray(type.key(), false);
        values = new PacketArray(type.value(), type.valueContainsNull());
    }

    /**
     * Moves this view to {@code region[from, to)}.
     *
     * @throws MalformedPacketException if keys and values exceed the region, or differ in number
     */
    public PacketMap wrap(byte[] region, int from, int to) {
        if (from < 0 || to > region.length || to - from < Integer.BYTES) {
            throw new MalformedPacketException("map of " + (to - from) + " bytes at " + from);
        }
        int length = Bytes.getInt(region, from);
        int first = from + Integer.BYTES;
        if (length < 0 || length > to - first) {
            throw new MalformedPacketException("map of " + (to - from) + " bytes at " + from + " with keys of " + length);
        }
        keys.wrap(region, first, first + length);
        values.wrap(region, first + length, to);
        if (keys.count() != values.count()) {
            throw new MalformedPacketException("map of " + keys.count() + " keys and " + values.count() + " values");
        }
        return this;
    }

    public PacketArray keys() {
        return keys;
    }

    public PacketArray values() {
        return values;
    }
}
