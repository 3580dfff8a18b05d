package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;
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

    private final Side left;
    private final Side right;
    private final KeyedTable<PairClock> clocks;
    private PacketArena arena = new PacketArena();
    /** The size of the packets. */
    private long live;

    /** What is known of a stream. */
    private static final class Side {
        final Stream stream;
        /** Null if time alone counts. */
        final PacketOrder ties;
        final Packet view;
        boolean ended;

        Side(Stream stream) {
            this.stream = stream;
            ties = stream.order.orderBy().isEmpty() ? null
                    : new PacketOrder(stream.schema.layout(), stream.order.orderBy());
            view = new Packet(stream.schema.layout());
        }

        long watermark(ClockedLine line) {
            long reached = line.greatest - stream.delay;
            return ended || line.silent ? Long.MAX_VALUE : reached <= line.greatest ? reached : Long.MIN_VALUE;
        }

        boolean isSilent(ClockedLine line, long micros) {
            return stream.idle != Long.MAX_VALUE && line.heard <= micros - stream.idle;
        }
    }

    /** @param keys of the clocks */
    public PairedPackets(Schema keys, KeyBuckets buckets, Stream left, Stream right) {
        this.left = new Side(left);
        this.right = new Side(right);
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

    /** The watermark of a key. */
    public long watermark(PairClock clock) {
        long least = Math.min(left.watermark(clock.left), right.watermark(clock.right));
        if (least == Long.MAX_VALUE && !(left.ended && right.ended)) {
            least = clock.floor;
        }
        return Math.max(clock.reached, least);
    }

    /** A packet of a key has come. @param wallMicros since 1970 */
    public void hear(PairClock clock, boolean ofLeft, long wallMicros) {
        ClockedLine line = ofLeft ? clock.left : clock.right;
        ClockedLine other = ofLeft ? clock.right : clock.left;
        line.heard = wallMicros;
        line.silent = false;
        if (other.heard == ClockedLine.NEVER) {
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
        clock.left.silent |= left.isSilent(clock.left, micros);
        clock.right.silent |= right.isSilent(clock.right, micros);
        clock.floor = Math.min(EventOrder.plus(Math.max(clock.left.greatest, clock.right.greatest), reach),
                Long.MAX_VALUE - 1);
        return watermark(clock) > before ? clock : null;
    }

    /** Keeps a copy of a packet, which waits. */
    public void add(PairClock clock, boolean ofLeft, Packet packet, int group) {
        Side side = ofLeft ? left : right;
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
    private boolean isBefore(Side side, Packet packet, long time, ClockedLine line, int waiting) {
        if (time != line.time(waiting) || side.ties == null) {
            return time < line.time(waiting);
        }
        arena.view(line.place(waiting), side.view);
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
                copy(from, clock.left, left.view);
                copy(from, clock.right, right.view);
            }
        }
    }

    private void copy(PacketArena from, ClockedLine line, Packet view) {
        for (int k = line.first(); k < line.end(); k++) {
            from.view(line.place(k), view);
            line.move(k, arena.add(view));
        }
    }

    /** Clocks have numbers below this. */
    public int limit() {
        return clocks.limit();
    }

    /** The clock of that number; null if there is none. */
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
    public void clear() {
        clocks.clear();
        arena = new PacketArena();
        live = 0;
        left.ended = false;
        right.ended = false;
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        clocks.restore(entry);
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

        private void write(Side side, ClockedLine line, DataOutput out) throws IOException {
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

        private void read(Side side, ClockedLine line, DataInput in) throws IOException {
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

        private long timeOf(Side side) throws SnapshotException {
            int column = side.stream.order.time();
            if (side.view.isNull(column)) {
                throw new SnapshotException("state `" + NAME + "`: a packet without event time");
            }
            return side.view.getLong(column);
        }

        @Override
        public long bytes(PairClock value) {
            return OBJECT_BYTES + value.left.bytes() + value.right.bytes();
        }
    }
}
