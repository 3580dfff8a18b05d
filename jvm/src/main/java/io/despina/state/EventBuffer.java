package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;
import io.despina.packet.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Packets that wait for the watermark, returned in event order. Packets that arrive in order go through a ring, O(1) each; those
 * that arrive out of order through a heap. A {@link PacketArena} holds their bytes.
 *
 * <p>{@link #head} and {@link #dropHead} return a packet at once. {@link #take} and {@link #drop} do it in two steps, with other
 * packets between them; until a packet is dropped, a snapshot stores it as waiting.
 */
public final class EventBuffer implements State, AheadOfHead {
    private final String name;
    private final Schema schema;
    private final int timeColumn;
    /** Null if time alone counts. */
    private final PacketOrder ties;
    private final ToIntFunction<Packet> bucket;
    private final PacketArena arena = new PacketArena();
    private final Packet view;
    private final Packet head;
    private final Packet other;

    /** Packets that arrived in order. */
    private final PlaceRing ring = new PlaceRing();
    /** Packets that arrived out of order. */
    private final PlaceHeap heap = new PlaceHeap(this::compare);
    /** Packets taken and not yet dropped. */
    private final PlaceRing taken = new PlaceRing();
    private long arrivals;
    /** Packets with smaller numbers of arrival were there when the packets were last frozen; -1 before that. */
    private long frozenArrivals = -1;
    /** Places of those packets that have left since. */
    private long[] gone = {};
    private int goneCount;

    /**
     * In which order packets return: by time, then by {@code ties}, then by arrival.
     *
     * @param time ordinal of a TIMESTAMP that is not null
     * @param ties null if time alone counts
     */
    public record Sorting(int time, PacketOrder ties) {
    }

    /** @param bucket of a packet, for snapshots; {@link SectionWriter#NO_BUCKET} if it has none */
    public EventBuffer(String name, Schema schema, EventOrder order, ToIntFunction<Packet> bucket) {
        this(name, schema, new Sorting(order.time(), order.orderBy().isEmpty() ? null
                : new PacketOrder(schema.layout(), order.orderBy())), bucket);
    }

    /** @param bucket as of the other constructor */
    public EventBuffer(String name, Schema schema, Sorting sorting, ToIntFunction<Packet> bucket) {
        this.bucket = bucket;
        this.name = name;
        this.schema = schema;
        timeColumn = sorting.time;
        ties = sorting.ties;
        view = new Packet(schema.layout());
        head = new Packet(schema.layout());
        other = new Packet(schema.layout());
    }

    /**
     * Keeps a copy of {@code packet}, whose event time is not null.
     *
     * @return its place for {@link #view}, valid until it is dropped
     */
    public long add(Packet packet) {
        return add(packet, arrivals);
    }

    private long add(Packet packet, long arrival) {
        arrivals = Math.max(arrivals, arrival + 1);
        long time = packet.getLong(timeColumn);
        boolean inOrder = ring.isEmpty() || ring.lastTime() < time
                || ring.lastTime() == time && !isBeforeLast(packet, arrival);
        long place = arena.add(packet);
        if (inOrder) {
            ring.add(time, place, arrival);
        } else {
            heap.add(time, place, arrival, ties == null ? 0 : ties.prefix(packet));
        }
        return place;
    }

    private boolean isBeforeLast(Packet packet, long arrival) {
        int order = 0;
        if (ties != null) {
            arena.view(ring.lastPlace(), other);
            order = ties.compare(packet, other);
        }
        return order < 0 || order == 0 && arrival < ring.lastArrival();
    }

    /** Compares two entries with equal times by their packets. */
    private int compare(long place, long arrival, long otherPlace, long otherArrival) {
        if (ties != null) {
            arena.view(place, view);
            arena.view(otherPlace, other);
            int c = ties.compare(view, other);
            if (c != 0) {
                return c;
            }
        }
        return Long.compare(arrival, otherArrival);
    }

    private boolean headIsInHeap() {
        if (heap.isEmpty() || ring.isEmpty()) {
            return ring.isEmpty();
        }
        long inHeap = heap.firstTime();
        long inRing = ring.firstTime();
        return inHeap < inRing || inHeap == inRing
                && compare(heap.firstPlace(), heap.firstArrival(), ring.firstPlace(), ring.firstArrival()) < 0;
    }

    /** Whether no packet waits; packets taken do not count. */
    public boolean isEmpty() {
        return ring.isEmpty() && heap.isEmpty();
    }

    /** Whether a packet waits that {@code watermark} has passed. */
    public boolean isReady(long watermark) {
        return !isEmpty() && EventOrder.passed(watermark, headTime());
    }

    /** The event time of the first waiting packet. */
    public long headTime() {
        if (heap.isEmpty()) {
            return ring.firstTime();
        }
        return ring.isEmpty() ? heap.firstTime() : Math.min(heap.firstTime(), ring.firstTime());
    }

    /** A view of the first waiting packet, until the next call of this method or {@link #take}. */
    public Packet head() {
        arena.view(headIsInHeap() ? heap.firstPlace() : ring.firstPlace(), head);
        return head;
    }

    /** As far as packets have come in order. */
    @Override
    public boolean ahead(int k, Packet into) {
        if (k >= ring.size()) {
            return false;
        }
        arena.view(ring.place(k), into);
        return true;
    }

    /** Drops the first waiting packet. */
    public void dropHead() {
        if (headIsInHeap()) {
            free(heap.firstPlace(), heap.firstArrival());
            heap.removeFirst();
        } else {
            free(ring.firstPlace(), ring.firstArrival());
            ring.removeFirst();
        }
    }

    private void free(long place, long arrival) {
        arena.free(place);
        if (arrival < frozenArrivals) {
            gone = goneCount == gone.length ? Arrays.copyOf(gone, 2 * goneCount + 1) : gone;
            gone[goneCount++] = place;
        }
    }

    /** Takes the first waiting packet. The view is valid until the next call of this method or {@link #head}. */
    public Packet take() {
        if (headIsInHeap()) {
            taken.add(heap.firstTime(), heap.firstPlace(), heap.firstArrival());
            heap.removeFirst();
        } else {
            taken.add(ring.firstTime(), ring.firstPlace(), ring.firstArrival());
            ring.removeFirst();
        }
        arena.view(taken.lastPlace(), head);
        return head;
    }

    /** The number of packets taken and not dropped. */
    public int taken() {
        return taken.size();
    }

    /** Event time of the earliest packet taken. */
    public long takenTime() {
        return taken.time(0);
    }

    /** Place of the earliest packet taken. */
    public long takenPlace() {
        return taken.firstPlace();
    }

    /** Moves {@code into} to a packet that was added and not dropped. */
    public void view(long place, Packet into) {
        arena.view(place, into);
    }

    /** Holds the packets' bytes. */
    PacketArena arena() {
        return arena;
    }

    /** Drops the earliest packet taken. */
    public void drop() {
        free(taken.firstPlace(), taken.firstArrival());
        taken.removeFirst();
    }

    /** Drops the latest packet taken. */
    public void dropLast() {
        free(taken.lastPlace(), taken.lastArrival());
        taken.removeLast();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long bytes() {
        return arena.bytes() + ring.bytes() + heap.bytes() + taken.bytes() + (long) gone.length * Long.BYTES;
    }

    @Override
    public long packets() {
        return ring.size() + heap.size();
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.BY_BUCKET;
    }

    @Override
    public String schema() {
        return "packets of " + schema.sql();
    }

    @Override
    public Frozen freeze() {
        return new FrozenPackets(SectionForm.WHOLE);
    }

    @Override
    public Frozen freezeChanges() {
        return frozenArrivals < 0 ? freeze() : new FrozenPackets(SectionForm.CHANGES);
    }

    /**
     * The packets at one instant: first those taken, then those of the ring, then those of the heap; of changes only those that
     * have come since the instant before, behind those that have left. A packet's group and number are its place, which is
     * another's when it has left.
     */
    private final class FrozenPackets implements Frozen {
        /** So many packets are looked at in a call, if they are not to be written. */
        private static final int LOOKS = 1 << 14;
        /** No packet is shorter than so many bits say, since each has an event time: one in so many bytes has its own number. */
        private static final int LEAST_BITS = 3;

        private final SectionForm form;
        private final PacketArena.Frozen packets = arena.freeze();
        private final List<Places> rest = new ArrayList<>(List.of(taken.freeze(), ring.freeze(), heap.freeze()));
        /** Packets that came before are not written. */
        private final long from;
        private final long[] left;
        private int leftCount;
        /** The group that is written. */
        private int group;

        FrozenPackets(SectionForm form) {
            this.form = form;
            boolean changes = form == SectionForm.CHANGES;
            from = changes ? frozenArrivals : Long.MIN_VALUE;
            left = gone;
            leftCount = changes ? goneCount : 0;
            gone = new long[0];
            goneCount = 0;
            frozenArrivals = arrivals;
        }

        @Override
        public SectionForm form() {
            return form;
        }

        @Override
        public boolean write(SectionWriter to) throws IOException {
            while (leftCount > 0) {
                if (!to.hasRoom()) {
                    return false;
                }
                long place = left[--leftCount];
                to.gone(number(to, place), 1);
            }
            int looks = 0;
            for (; !rest.isEmpty(); rest.remove(0)) {
                for (Places places = rest.get(0); !places.isEmpty(); places.next()) {
                    if (places.arrival() >= from) {
                        if (!to.hasRoom()) {
                            return false;
                        }
                        write(places, to);
                    } else if (++looks == LOOKS) {
                        places.next();
                        return false;
                    }
                }
            }
            return true;
        }

        private int number(SectionWriter to, long place) {
            if ((int) (place >> Integer.SIZE) != group) {
                group = (int) (place >> Integer.SIZE);
                to.group(group);
            }
            return (int) place >>> LEAST_BITS;
        }

        private void write(Places places, SectionWriter to) throws IOException {
            packets.view(places.place(), view);
            int of = bucket.applyAsInt(view);
            to.beginEntry(of, number(to, places.place())).writeLong(places.arrival());
            packets.view(places.place(), view);
            to.packet(view);
            to.endEntry();
        }

        @Override
        public void close() {
            packets.close();
            taken.thaw();
            ring.thaw();
            heap.thaw();
        }
    }

    @Override
    public void clear() {
        arena.clear();
        ring.clear();
        heap.clear();
        taken.clear();
        arrivals = 0;
        frozenArrivals = -1;
        goneCount = 0;
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        long arrival = entry.data().readLong();
        entry.packet(view);
        StateFormat.checkTime(name, view, timeColumn);
        add(view, arrival);
    }
}
