package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Packets in the order in which they came, each with the instant and with the watermark that held then. A {@link PacketArena}
 * has their bytes. At another parallelism the first instance takes them all, which keeps their order.
 */
public final class HeldPackets implements State {
    private final String name;
    private final Schema schema;
    private final PacketArena arena = new PacketArena();
    /** In place of an arrival's number, the watermark. */
    private final PlaceRing ring = new PlaceRing();
    private final Packet view;
    private final Packet first;

    public HeldPackets(String name, Schema schema) {
        this.name = name;
        this.schema = schema;
        view = new Packet(schema.layout());
        first = new Packet(schema.layout());
    }

    /** Keeps a copy. @param time not before that of the last packet */
    public void add(long time, Packet packet, long watermark) {
        ring.add(time, arena.add(packet), watermark);
    }

    public boolean isEmpty() {
        return ring.isEmpty();
    }

    public int size() {
        return ring.size();
    }

    public long firstTime() {
        return ring.firstTime();
    }

    public long firstWatermark() {
        return ring.firstArrival();
    }

    /** A view of the first packet, until the next call. */
    public Packet first() {
        arena.view(ring.firstPlace(), first);
        return first;
    }

    public void removeFirst() {
        arena.free(ring.firstPlace());
        ring.removeFirst();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.BY_BUCKET;
    }

    @Override
    public String schema() {
        return "packets of " + schema.sql() + ", held";
    }

    @Override
    public long bytes() {
        return arena.bytes() + ring.bytes();
    }

    @Override
    public long packets() {
        return ring.size();
    }

    @Override
    public Frozen freeze() {
        return new FrozenPackets();
    }

    private final class FrozenPackets implements Frozen {
        private final PacketArena.Frozen packets = arena.freeze();
        private final Places places = ring.freeze();

        @Override
        public boolean write(SectionWriter to) throws IOException {
            for (; !places.isEmpty(); places.next()) {
                if (!to.hasRoom()) {
                    return false;
                }
                DataOutput entry = to.beginEntry(SectionWriter.NO_BUCKET);
                entry.writeLong(places.time());
                entry.writeLong(places.arrival());
                packets.view(places.place(), view);
                to.packet(view);
                to.endEntry();
            }
            return true;
        }

        @Override
        public void close() {
            packets.close();
            ring.thaw();
        }
    }

    @Override
    public void clear() {
        arena.clear();
        ring.clear();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        long time = entry.data().readLong();
        long watermark = entry.data().readLong();
        entry.packet(view);
        add(time, view, watermark);
    }

    /**
     * Brings the packets of several instances into one order, after a restore. None then has a watermark beyond that of a later
     * one: that packet may be earlier than the watermark.
     *
     * @param least of the watermarks of these instances
     */
    public void settle(long least) {
        int size = ring.size();
        int[] order = IntStream.range(0, size).boxed().sorted(Comparator.comparingLong(ring::time)).mapToInt(k -> k).toArray();
        long[] times = Arrays.stream(order).mapToLong(ring::time).toArray();
        long[] places = Arrays.stream(order).mapToLong(ring::place).toArray();
        long[] watermarks = Arrays.stream(order).mapToLong(ring::arrival).toArray();
        long bound = least;
        for (int k = size - 1; k >= 0; k--) {
            bound = Math.min(bound, watermarks[k]);
            watermarks[k] = bound;
        }
        ring.clear();
        for (int k = 0; k < size; k++) {
            ring.add(times[k], places[k], watermarks[k]);
        }
    }
}
