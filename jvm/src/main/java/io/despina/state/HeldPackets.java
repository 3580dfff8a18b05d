package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * Packets in the order in which they came, each with the instant and with the watermark that held then. A {@link PacketArena}
 * has their bytes. At another parallelism the first instance takes them all, which keeps their order, unless they have buckets.
 */
public final class HeldPackets implements State {
    private final String name;
    private final Schema schema;
    private final ToIntFunction<Packet> bucket;
    private final PacketArena arena = new PacketArena();
    /** In place of an arrival's number, the watermark. */
    private final PlaceRing ring = new PlaceRing();
    /** Of the packets themselves. */
    private long packetBytes;
    /** How many came before the first. */
    private long removed;
    /** What {@link #removed} was when the packets were last frozen, and how many had come until then; -1 before that. */
    private long frozenRemoved;
    private long frozenEnd = -1;
    private final Packet view;
    private final Packet first;

    public HeldPackets(String name, Schema schema) {
        this(name, schema, packet -> SectionWriter.NO_BUCKET);
    }

    /** @param bucket of a packet, for snapshots: at another parallelism the owner of its bucket takes it */
    public HeldPackets(String name, Schema schema, ToIntFunction<Packet> bucket) {
        this.name = name;
        this.bucket = bucket;
        this.schema = schema;
        view = new Packet(schema.layout());
        first = new Packet(schema.layout());
    }

    /** Keeps a copy. @param time not before that of the last packet */
    public void add(long time, Packet packet, long watermark) {
        ring.add(time, arena.add(packet), watermark);
        packetBytes += packet.size();
    }

    /** The sizes of the packets in bytes; {@link #bytes} also has memory that is kept for more. */
    public long packetBytes() {
        return packetBytes;
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

    /** The number of the first packet, or of the next one if there is none: each has one more than the one before it. */
    public long firstNumber() {
        return removed;
    }

    public long firstWatermark() {
        return ring.firstArrival();
    }

    /** A view of the first packet, until the next call. */
    public Packet first() {
        arena.view(ring.firstPlace(), first);
        return first;
    }

    /** A view of the packet that came {@code k} after the first, until the next call. */
    public Packet at(int k) {
        arena.view(ring.place(k), first);
        return first;
    }

    /** When that packet came. */
    public long timeAt(int k) {
        return ring.time(k);
    }

    /** The watermark that held when that packet came. */
    public long watermarkAt(int k) {
        return ring.arrival(k);
    }

    public void removeFirst() {
        packetBytes -= first().size();
        arena.free(ring.firstPlace());
        ring.removeFirst();
        removed++;
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
        return new FrozenPackets(SectionForm.WHOLE);
    }

    @Override
    public Frozen freezeChanges() {
        return frozenEnd < 0 ? freeze() : new FrozenPackets(SectionForm.CHANGES);
    }

    /** Packets have the numbers in which they came; of changes only those that have come since, behind what has left. */
    private final class FrozenPackets implements Frozen {
        /** A group has so many numbers. */
        private static final int GROUP_BITS = 20;

        private final SectionForm form;
        private final PacketArena.Frozen packets = arena.freeze();
        private final Places places = ring.freeze();
        private long number = removed;
        private long gone;
        private final long goneEnd;
        /** The group that is written. */
        private long group;

        FrozenPackets(SectionForm form) {
            this.form = form;
            boolean changes = form == SectionForm.CHANGES;
            gone = changes ? frozenRemoved : removed;
            goneEnd = changes ? Math.min(removed, frozenEnd) : removed;
            if (changes && number < frozenEnd) {
                places.skip((int) (frozenEnd - number));
                number = frozenEnd;
            }
            frozenRemoved = removed;
            frozenEnd = removed + ring.size();
        }

        @Override
        public SectionForm form() {
            return form;
        }

        private int numberOf(SectionWriter to, long one) {
            if (one >> GROUP_BITS != group) {
                group = one >> GROUP_BITS;
                to.group((int) group);
            }
            return (int) (one & (1 << GROUP_BITS) - 1);
        }

        @Override
        public boolean write(SectionWriter to) throws IOException {
            while (gone < goneEnd) {
                long end = Math.min(goneEnd, (gone >> GROUP_BITS) + 1 << GROUP_BITS);
                to.gone(numberOf(to, gone), (int) (end - gone));
                gone = end;
            }
            for (; !places.isEmpty(); places.next()) {
                if (!to.hasRoom()) {
                    return false;
                }
                packets.view(places.place(), view);
                int of = bucket.applyAsInt(view);
                DataOutput entry = to.beginEntry(of, numberOf(to, number++));
                entry.writeLong(places.time());
                entry.writeLong(places.arrival());
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
        packetBytes = 0;
        removed = 0;
        frozenEnd = -1;
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
        frozenEnd = -1;
        for (int k = 0; k < size; k++) {
            ring.add(times[k], places[k], watermarks[k]);
        }
    }
}
