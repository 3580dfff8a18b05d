package io.despina.operator.lookup;

import io.despina.packet.Packet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * The rows of the keys that were asked for last. A key without a row is remembered too, and counts as one row. What is older than
 * the time to live is asked anew.
 */
public final class TableCache {
    private static final int ENTRY_BYTES = 160;

    /**
     * Its bounds.
     *
     * @param mostRows of all keys together
     * @param nanos    the time to live
     */
    public record Bounds(long mostRows, long nanos) {
    }

    /** A key's bytes; one that looks for another shows a packet in place. */
    private static final class Key {
        private byte[] bytes;
        private int from;
        private int to;
        private int hash;

        Key show(Packet packet) {
            bytes = packet.bytes();
            from = packet.start();
            to = packet.end();
            hash = 1;
            for (int k = from; k < to; k++) {
                hash = 31 * hash + bytes[k];
            }
            return this;
        }

        static Key copy(Packet packet) {
            Key copy = new Key().show(packet);
            copy.bytes = packet.copy();
            copy.from = 0;
            copy.to = copy.bytes.length;
            return copy;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && Arrays.equals(bytes, from, to, key.bytes, key.from, key.to);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    private record Known(FoundRows rows, long count, long until) {
        long bytes(Key key) {
            return ENTRY_BYTES + key.bytes.length + rows.held();
        }
    }

    private final Bounds bounds;
    private final LinkedHashMap<Key, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Key probe = new Key();
    private long rows;
    private long bytes;

    public TableCache(Bounds bounds) {
        this.bounds = bounds;
    }

    /** Null if the key is not known, or no longer. */
    public FoundRows get(Packet key, long now) {
        Known found = known.get(probe.show(key));
        return found == null || found.until - now <= 0 ? null : found.rows;
    }

    public void put(Packet of, FoundRows found, long now) {
        Key key = Key.copy(of);
        Known fresh = new Known(found, Math.max(1, found.count()), now + bounds.nanos);
        Known before = known.remove(key);
        rows += fresh.count - (before == null ? 0 : before.count);
        bytes += fresh.bytes(key) - (before == null ? 0 : before.bytes(key));
        known.put(key, fresh);
        Iterator<java.util.Map.Entry<Key, Known>> oldest = known.entrySet().iterator();
        while (rows > bounds.mostRows) {
            java.util.Map.Entry<Key, Known> least = oldest.next();
            rows -= least.getValue().count;
            bytes -= least.getValue().bytes(least.getKey());
            oldest.remove();
        }
    }

    public void clear() {
        known.clear();
        rows = 0;
        bytes = 0;
    }

    /** Of all keys together. */
    public long rows() {
        return rows;
    }

    public long bytes() {
        return bytes;
    }
}
