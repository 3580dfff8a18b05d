package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/**
 * The clocks of keys, and for each the packets that wait for it, in event order. {@link KeptPackets} that all share hold their
 * bytes. A snapshot has an entry for each clock and one for each packet.
 */
public final class ClockedPackets implements State {
    private static final int OBJECT_BYTES = 96;

    /**
     * The keys that have a clock.
     *
     * @param watermark of a clock's greatest event time
     * @param of        the key of a packet, until the next call
     */
    public record Key(Schema schema, KeyBuckets buckets, LongUnaryOperator watermark, Function<Packet, Packet> of) {
    }

    /** The clock of a key. */
    public static final class KeyClock extends EventClock {
        private static final int FIRST = 2;

        private int entry;
        /** Times and places of the packets: elements [first, end), in event order. */
        private long[] times = new long[FIRST];
        private long[] places = new long[FIRST];
        private int first;
        private int end;

        private KeyClock() {
        }

        /** Its number. */
        public int entry() {
            return entry;
        }

        /** Whether a packet waits that the watermark has passed. */
        public boolean isReady() {
            return first < end && EventOrder.passed(watermark(), times[first]);
        }

        /** The event time of the first packet that waits. */
        public long firstTime() {
            return times[first];
        }

        private void makeRoom() {
            if (first > 0) {
                System.arraycopy(times, first, times, 0, end - first);
                System.arraycopy(places, first, places, 0, end - first);
                end -= first;
                first = 0;
            } else {
                times = Arrays.copyOf(times, 2 * end);
                places = Arrays.copyOf(places, 2 * end);
            }
        }
    }

    private final Key key;
    private final Schema schema;
    /** Null if time alone counts. */
    private final PacketOrder ties;
    private final KeyedTable<KeyClock> clocks;
    private final KeptPackets kept;
    private final ClockRound moving = new ClockRound();
    private final Packet view;
    private final Packet head;

    /** @param schema of the packets */
    public ClockedPackets(String name, Key key, Schema schema, EventOrder order) {
        this.key = key;
        this.schema = schema;
        ties = order.orderBy().isEmpty() ? null : new PacketOrder(schema.layout(), order.orderBy());
        clocks = new KeyedTable<>(name, key.schema, key.buckets, new Format(name));
        kept = new KeptPackets(name, new KeptPackets.Kind(schema, order.time(), key.of), ListedPackets.Part.BESIDE_TABLE);
        view = new Packet(schema.layout());
        head = new Packet(schema.layout());
    }

    /** The number of a key's clock, or {@link KeyedTable#NONE}. */
    public int find(Packet of) {
        return clocks.find(of);
    }

    /** The clock of a key, which begins if there is none. */
    public KeyClock clock(Packet of) {
        int entry = clocks.find(of);
        if (entry != KeyedTable.NONE) {
            return clocks.get(entry);
        }
        KeyClock clock = new KeyClock();
        clock.entry = clocks.add(of, clock);
        return clock;
    }

    /**
     * Keeps a copy of a packet, which then moves the clock of its key.
     *
     * @return whether it has moved it
     */
    public boolean add(KeyClock clock, long time, Packet packet) {
        insert(clock, time, packet);
        if (time <= clock.greatest()) {
            return false;
        }
        clocks.edit(clock.entry);
        clock.advance(time, key.watermark.applyAsLong(time));
        return true;
    }

    private void insert(KeyClock clock, long time, Packet packet) {
        if (clock.end == clock.times.length) {
            clock.makeRoom();
            clocks.recount(clock.entry);
        }
        int at = clock.end++;
        while (at > clock.first && isBefore(time, packet, clock, at - 1)) {
            clock.times[at] = clock.times[at - 1];
            clock.places[at] = clock.places[at - 1];
            at--;
        }
        clock.times[at] = time;
        clock.places[at] = kept.add(packet);
    }

    /** Whether a new packet comes before one that waits. */
    private boolean isBefore(long time, Packet packet, KeyClock clock, int waiting) {
        if (time != clock.times[waiting] || ties == null) {
            return time < clock.times[waiting];
        }
        kept.view(clock.places[waiting], view);
        return ties.compare(packet, view) < 0;
    }

    /** A view of the first packet that waits, until the next call. */
    public Packet head(KeyClock clock) {
        kept.view(clock.places[clock.first], head);
        return head;
    }

    /** Drops the first packet that waits. */
    public void dropHead(KeyClock clock) {
        kept.remove(clock.places[clock.first++]);
        if (clock.first == clock.end) {
            clock.first = 0;
            clock.end = 0;
        }
    }

    /** Moves packets if they hold much more memory than they need: those of some keys in each call. */
    public void compact() {
        if (moving.isOver() && !kept.isSparse()) {
            return;
        }
        moving.goOn(clocks.limit(), entry -> {
            KeyClock clock = clocks.get(entry);
            for (int k = clock == null ? 0 : clock.first; clock != null && k < clock.end; k++) {
                clock.places[k] = kept.move(clock.places[k]);
            }
            return clock == null ? 0 : clock.end - clock.first;
        });
    }

    /** Clocks have entries below this. */
    public int limit() {
        return clocks.limit();
    }

    /** Moves a clock to the end of time; null if there is no such clock. */
    public KeyClock stop(int entry) {
        KeyClock clock = clocks.get(entry);
        if (clock != null) {
            clock.stop();
        }
        return clock;
    }

    /**
     * Moves the clock of a key on if it is silent and has not moved on since.
     *
     * @param since nothing came after this instant of the wall clock
     * @param reach microseconds beyond its greatest event time
     * @return the clock; null if it stays where it is
     */
    public KeyClock moveOn(int entry, long since, long reach) {
        KeyClock clock = clocks.get(entry);
        if (clock == null || !clock.isSilent(since)) {
            return null;
        }
        clocks.edit(entry);
        clock.moveOn(reach);
        return clock;
    }

    /** The state is restored. @param wallMicros now */
    public void restored(long wallMicros) {
        for (int entry = 0; entry < clocks.limit(); entry++) {
            KeyClock clock = clocks.get(entry);
            if (clock != null) {
                clock.entry = entry;
                clock.restored(key.watermark.applyAsLong(clock.greatest()), wallMicros);
            }
        }
    }

    @Override
    public String name() {
        return clocks.name();
    }

    @Override
    public long bytes() {
        return clocks.bytes() + kept.bytes();
    }

    @Override
    public long keys() {
        return clocks.size();
    }

    @Override
    public Held held() {
        return clocks.held();
    }

    @Override
    public RestoreRule rule() {
        return clocks.rule();
    }

    @Override
    public String schema() {
        return clocks.schema();
    }

    @Override
    public Frozen freeze() {
        return freeze(clocks.freeze(), false);
    }

    @Override
    public Frozen freezeChanges() {
        return freeze(clocks.freezeChanges(), true);
    }

    private Frozen freeze(Frozen ofClocks, boolean changes) {
        return new FrozenParts(List.of(ofClocks, kept.freeze(key.buckets, changes)));
    }

    @Override
    public void clear() {
        clocks.clear();
        kept.clear();
        moving.end();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        if (ListedPackets.isListed(entry)) {
            kept.restore(entry);
        } else {
            clocks.restore(entry);
        }
    }

    @Override
    public void restoredAll() throws SnapshotException {
        clocks.restoredAll();
        kept.restoredAll((packet, marked) -> {
            int entry = clocks.find(kept.key(packet));
            if (entry == KeyedTable.NONE) {
                throw new SnapshotException("state `" + name() + "`: a packet whose key has no clock");
            }
            KeyClock clock = clocks.get(entry);
            clock.entry = entry;
            insert(clock, kept.time(packet), packet);
        });
    }

    /** A clock, and in older snapshots its packets. */
    private final class Format implements ValueFormat<KeyClock> {
        private final String name;
        private final Packet packet;

        Format(String name) {
            this.name = name;
            packet = new Packet(ClockedPackets.this.schema.layout());
        }

        @Override
        public String schema() {
            return EventClock.SCHEMA + " and packets of " + ClockedPackets.this.schema.sql();
        }

        @Override
        public void write(KeyClock value, DataOutput out) throws IOException {
            value.write(out);
            out.writeInt(0);
        }

        @Override
        public KeyClock read(DataInput in) throws IOException {
            KeyClock clock = new KeyClock();
            clock.read(in);
            for (int left = StateFormat.readCount(in, name, Integer.MAX_VALUE); left > 0; left--) {
                long time = in.readLong();
                StateFormat.readPacket(in, name, packet);
                if (clock.end == clock.times.length) {
                    clock.makeRoom();
                }
                if (clock.end > 0 && time < clock.times[clock.end - 1]) {
                    throw new SnapshotException("state `" + name + "`: packets are not in order");
                }
                clock.times[clock.end] = time;
                clock.places[clock.end++] = kept.add(packet);
            }
            return clock;
        }

        @Override
        public Held held(KeyClock value) {
            return Held.waiting(value.end - value.first);
        }

        @Override
        public long bytes(KeyClock value) {
            return OBJECT_BYTES + (long) value.times.length * 2 * Long.BYTES;
        }
    }
}
