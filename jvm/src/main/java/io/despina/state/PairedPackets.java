package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.ToIntFunction;

/**
 * The clocks of keys in two streams, and for each the packets of both. The watermark of a key is the lesser of those of its two
 * clocks: a key that has not come by one stream has no watermark yet, and a stream that has ended holds no key back. A
 * {@link PacketArena} that all share holds the packets' bytes; as in {@link ClockedPackets} it is copied when most of it is free.
 */
public final class PairedPackets implements State {
    private static final String NAME = "clocks";
    /** An arena that is not much larger is not copied. */
    private static final long SLACK = 1 << 20;
    /** The arena is copied when it is so many times as large as its packets. */
    private static final int SPARSE = 4;
    private static final int OBJECT_BYTES = 48;

    /**
     * One of the two streams.
     *
     * @param schema of its packets
     * @param order  in which they wait
     * @param delay  how far a packet may be behind its key's greatest event time, in microseconds
     * @param idle   after so long a silence a key no longer waits for it, in microseconds; {@link Long#MAX_VALUE} for never
     * @param group  a number of a packet's join key, see {@link ClockedLine#group}
     */
    public record Stream(Schema schema, EventOrder order, long delay, long idle, ToIntFunction<Packet> group) {
    }

    private final PairSide left;
    private final PairSide right;
    private final KeyedTable<PairClock> clocks;
    private PacketArena arena = new PacketArena();
    /** The size of the packets. */
    private long live;

    /** @param keys of the clocks */
    public PairedPackets(Schema keys, KeyBuckets buckets, Stream left, Stream right) {
        this.left = new PairSide(left);
        this.right = new PairSide(right);
        clocks = new KeyedTable<>(NAME, keys, buckets, new Format());
    }

    /** A number of a join key, for {@link ClockedLine#group}. */
    public static int group(Packet key) {
        return EntryRows.hash(key);
    }

    /** The clock of a key, which begins if there is none. */
    public PairClock clock(Packet key) {
        int entry = clocks.find(key);
        if (entry != KeyedTable.NONE) {
            return clocks.get(entry);
        }
        PairClock clock = new PairClock();
        clock.entry = clocks.add(key, clock);
        return clock;
    }

    public long watermark(PairClock clock) {
        long least = Math.min(left.watermark(clock.left), right.watermark(clock.right));
        boolean floor = least == Long.MAX_VALUE && !(left.ended && right.ended);
        return Math.max(clock.reached, floor ? clock.floor : least);
    }

    /** A packet of a key has come. @param wallMicros since 1970 */
    public void hear(PairClock clock, boolean ofLeft, long wallMicros) {
        ClockedLine line = ofLeft ? clock.left : clock.right;
        ClockedLine other = ofLeft ? clock.right : clock.left;
        line.heard = wallMicros;
        if (line.silent) {
            clocks.edit(clock.entry);
            line.silent = false;
        }
        if (other.heard == ClockedLine.UNHEARD) {
            other.heard = wallMicros;
        }
    }

    /**
     * Looks whether a key is silent in one of the streams or in both. It then waits for the other alone, or for none: its
     * watermark moves beyond its last packets.
     *
     * @param micros now, since 1970
     * @param reach  microseconds beyond its greatest event time
     * @return the clock if its watermark has grown; else null
     */
    public PairClock look(int number, long micros, long reach) {
        PairClock clock = clocks.get(number);
        if (clock == null) {
            return null;
        }
        long before = watermark(clock);
        boolean ofLeft = left.isSilent(clock.left, micros);
        boolean ofRight = right.isSilent(clock.right, micros);
        if (ofLeft && !clock.left.silent || ofRight && !clock.right.silent) {
            clocks.edit(number);
        }
        clock.left.silent |= ofLeft;
        clock.right.silent |= ofRight;
        clock.floor = Math.min(EventOrder.plus(Math.max(clock.left.greatest, clock.right.greatest), reach),
                Long.MAX_VALUE - 1);
        return watermark(clock) > before ? clock : null;
    }

    /** Keeps a copy of a packet, which waits. */
    public void add(PairClock clock, boolean ofLeft, Packet packet, int group) {
        PairSide side = ofLeft ? left : right;
        ClockedLine line = ofLeft ? clock.left : clock.right;
        clocks.edit(clock.entry);
        if (line.makeRoom()) {
            clocks.recount(clock.entry);
        }
        long time = packet.getLong(side.stream.order.time());
        int at = line.end();
        while (at > line.next() && isBefore(side, packet, time, line, at - 1)) {
            at--;
        }
        line.insert(at, time, arena.add(packet), group);
        live += packet.size();
    }

    /** Whether a new packet comes before one that waits. */
    private boolean isBefore(PairSide side, Packet packet, long time, ClockedLine line, int waiting) {
        if (time != line.time(waiting) || side.ties == null) {
            return time < line.time(waiting);
        }
        view(line, waiting, side.view);
        return side.ties.compare(packet, side.view) < 0;
    }

    /** A packet of a key has come. @return whether the key's watermark has grown */
    public boolean advance(PairClock clock, boolean ofLeft, long time) {
        ClockedLine line = ofLeft ? clock.left : clock.right;
        if (time <= line.greatest) {
            return false;
        }
        long before = watermark(clock);
        clocks.edit(clock.entry);
        line.greatest = time;
        return watermark(clock) > before;
    }

    /** All has been done up to the key's watermark. */
    public void reach(PairClock clock) {
        clocks.edit(clock.entry);
        clock.reached = watermark(clock);
    }

    /** One of the streams has ended. */
    public void end(boolean ofLeft) {
        (ofLeft ? left : right).ended = true;
    }

    /** Moves {@code into} to a packet. */
    public void view(ClockedLine line, int index, Packet into) {
        arena.view(line.place(index), into);
    }

    /** The first packet that waits has been taken, and is kept. */
    public void take(PairClock clock, boolean ofLeft) {
        clocks.edit(clock.entry);
        (ofLeft ? clock.left : clock.right).take();
    }

    /** Marks a packet. */
    public void mark(PairClock clock, boolean ofLeft, int index) {
        clocks.edit(clock.entry);
        (ofLeft ? clock.left : clock.right).mark(index);
    }

    /** Drops the first packet, whether it has been taken or not. */
    public void dropFirst(PairClock clock, boolean ofLeft) {
        Packet view = (ofLeft ? left : right).view;
        ClockedLine line = ofLeft ? clock.left : clock.right;
        clocks.edit(clock.entry);
        long place = line.place(line.first());
        arena.view(place, view);
        live -= view.size();
        arena.free(place);
        line.dropFirst();
    }

    /** Copies the packets if they hold much more memory than they need. */
    public void compact() {
        if (arena.bytes() < SPARSE * live + SLACK) {
            return;
        }
        PacketArena from = arena;
        arena = new PacketArena();
        for (int entry = 0; entry < clocks.limit(); entry++) {
            PairClock clock = clocks.get(entry);
            if (clock != null) {
                clock.left.move(place -> copied(from, place, left.view));
                clock.right.move(place -> copied(from, place, right.view));
            }
        }
    }

    private long copied(PacketArena from, long place, Packet view) {
        from.view(place, view);
        return arena.add(view);
    }

    /** Clocks have numbers below this. */
    public int limit() {
        return clocks.limit();
    }

    /** The clock of that number, or null. */
    public PairClock get(int number) {
        return clocks.get(number);
    }

    /** Moves {@code into} to a clock's key. */
    public void key(PairClock clock, Packet into) {
        clocks.key(clock.entry, into);
    }

    /** The state is restored. @param wallMicros now */
    public void restored(long wallMicros) {
        for (int entry = 0; entry < clocks.limit(); entry++) {
            PairClock clock = clocks.get(entry);
            if (clock != null) {
                clock.entry = entry;
                clock.left.heard = wallMicros;
                clock.right.heard = wallMicros;
            }
        }
    }

    @Override
    public String name() {
        return clocks.name();
    }

    @Override
    public long bytes() {
        return clocks.bytes() + arena.bytes();
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
        return clocks.freeze();
    }

    @Override
    public Frozen freezeChanges() {
        return clocks.freezeChanges();
    }

    @Override
    public void clear() {
        clocks.clear();
        arena = new PacketArena();
        live = 0;
        left.ended = right.ended = false;
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        clocks.restore(entry);
    }

    @Override
    public void restoredAll() throws SnapshotException {
        clocks.restoredAll();
    }

    /** What has been reached, then of each stream the greatest event time and the packets. */
    private final class Format implements ValueFormat<PairClock> {
        @Override
        public String schema() {
            return "clocks and packets of " + left.stream.schema.sql() + " and of " + right.stream.schema.sql();
        }

        @Override
        public void write(PairClock value, DataOutput out) throws IOException {
            out.writeLong(value.reached);
            write(left, value.left, out);
            write(right, value.right, out);
        }

        private void write(PairSide side, ClockedLine line, DataOutput out) throws IOException {
            out.writeLong(line.greatest);
            out.writeBoolean(line.silent);
            out.writeInt(line.next() - line.first());
            out.writeInt(line.end() - line.first());
            Packet packet = new Packet(side.stream.schema.layout());
            for (int k = line.first(); k < line.end(); k++) {
                arena.view(line.place(k), packet);
                out.writeBoolean(line.isMarked(k));
                StateFormat.writePacket(out, packet);
            }
        }

        @Override
        public PairClock read(DataInput in) throws IOException {
            PairClock clock = new PairClock();
            clock.reached = in.readLong();
            read(left, clock.left, in);
            read(right, clock.right, in);
            return clock;
        }

        private void read(PairSide side, ClockedLine line, DataInput in) throws IOException {
            line.greatest = in.readLong();
            line.silent = in.readBoolean();
            int taken = StateFormat.readCount(in, NAME, Integer.MAX_VALUE);
            int count = StateFormat.readCount(in, NAME, Integer.MAX_VALUE);
            for (int k = 0; k < count; k++) {
                boolean marked = in.readBoolean();
                StateFormat.readPacket(in, NAME, side.view);
                long time = timeOf(side);
                if (k > 0 && time < line.time(k - 1)) {
                    throw new SnapshotException("state `" + NAME + "`: packets are not in order");
                }
                line.makeRoom();
                line.insert(k, time, arena.add(side.view), side.stream.group.applyAsInt(side.view));
                live += side.view.size();
                if (marked) {
                    line.mark(k);
                }
                if (k < taken) {
                    line.take();
                }
            }
        }

        private long timeOf(PairSide side) throws SnapshotException {
            int column = side.stream.order.time();
            if (side.view.isNull(column)) {
                throw new SnapshotException("state `" + NAME + "`: a packet without event time");
            }
            return side.view.getLong(column);
        }

        @Override
        public Held held(PairClock value) {
            return Held.waiting(value.left.unmarked() + value.right.unmarked());
        }

        @Override
        public long bytes(PairClock value) {
            return OBJECT_BYTES + value.left.bytes() + value.right.bytes();
        }
    }
}
