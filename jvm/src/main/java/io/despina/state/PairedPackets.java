package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * The clocks of keys in two streams, and for each the packets of both. The watermark of a key is the lesser of those of its two
 * clocks: a key that has not come by one stream has no watermark yet, and a stream that has ended holds no key back. The packets'
 * bytes are in {@link KeptPackets}, as in {@link ClockedPackets}; so a snapshot has an entry for each clock and for each packet.
 */
public final class PairedPackets implements State {
    private static final String NAME = "clocks";
    private static final int OBJECT_BYTES = 48;

    /**
     * One of the two streams.
     *
     * @param schema of its packets
     * @param order  in which they wait
     * @param delay  how far a packet may be behind its key's greatest event time, in microseconds
     * @param idle   after so long a silence a key no longer waits for it, in microseconds; {@link Long#MAX_VALUE} for never
     * @param key    of the clock of a packet, until the next call
     * @param group  a number of a packet's join key, see {@link ClockedLine#group}
     */
    public record Stream(Schema schema, EventOrder order, long delay, long idle, Function<Packet, Packet> key,
            ToIntFunction<Packet> group) {
    }

    private final PairSide left;
    private final PairSide right;
    private final KeyedTable<PairClock> clocks;
    private final ClockRound moving = new ClockRound();

    /** @param keys of the clocks */
    public PairedPackets(Schema keys, KeyBuckets buckets, Stream left, Stream right) {
        this.left = new PairSide(NAME, left, ListedPackets.Part.FIRST);
        this.right = new PairSide(NAME, right, ListedPackets.Part.SECOND);
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
        ClockedLine line = line(clock, ofLeft);
        ClockedLine other = line(clock, !ofLeft);
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
        ClockedLine line = line(clock, ofLeft);
        if (line.makeRoom()) {
            clocks.recount(clock.entry);
        }
        side(ofLeft).insert(line, packet, group);
    }

    private PairSide side(boolean ofLeft) {
        return ofLeft ? left : right;
    }

    private static ClockedLine line(PairClock clock, boolean ofLeft) {
        return ofLeft ? clock.left : clock.right;
    }

    /** A packet of a key has come. @return whether the key's watermark has grown */
    public boolean advance(PairClock clock, boolean ofLeft, long time) {
        ClockedLine line = line(clock, ofLeft);
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
        side(ofLeft).ended = true;
    }

    /** Moves {@code into} to a packet of a clock's line. It stays there until {@link #compact} is called. */
    public void view(ClockedLine line, boolean ofLeft, int index, Packet into) {
        side(ofLeft).kept.view(line.place(index), into);
    }

    /** The first packet that waits has been taken, and is kept. */
    public void take(PairClock clock, boolean ofLeft) {
        clocks.edit(clock.entry);
        line(clock, ofLeft).take();
    }

    /** Marks a packet. */
    public void mark(PairClock clock, boolean ofLeft, int index) {
        side(ofLeft).mark(line(clock, ofLeft), index);
    }

    /** Drops the first packet, whether it has been taken or not. */
    public void dropFirst(PairClock clock, boolean ofLeft) {
        ClockedLine line = line(clock, ofLeft);
        if (line.first() < line.next()) {
            clocks.edit(clock.entry);
        }
        side(ofLeft).kept.remove(line.place(line.first()));
        line.dropFirst();
    }

    /** Moves packets if they hold much more memory than they need: those of some keys in each call. */
    public void compact() {
        if (moving.isOver() && !left.kept.isSparse() && !right.kept.isSparse()) {
            return;
        }
        moving.goOn(clocks.limit(), entry -> {
            PairClock clock = clocks.get(entry);
            return clock == null ? 0 : left.move(clock.left) + right.move(clock.right);
        });
    }

    /** Clocks have numbers below this. */
    public int limit() {
        return clocks.limit();
    }

    /** The clock of that number, or null. */
    public PairClock get(int number) {
        return clocks.get(number);
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
        return clocks.bytes() + left.kept.bytes() + right.kept.bytes();
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
        return new FrozenParts(List.of(ofClocks, left.kept.freeze(clocks.buckets(), changes),
                right.kept.freeze(clocks.buckets(), changes)));
    }

    @Override
    public void clear() {
        clocks.clear();
        left.kept.clear();
        right.kept.clear();
        moving.end();
        left.ended = right.ended = false;
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        if (ListedPackets.isListed(entry)) {
            side(!ListedPackets.isOfSecond(entry)).kept.restore(entry);
        } else {
            clocks.restore(entry);
        }
    }

    @Override
    public void restoredAll() throws SnapshotException {
        clocks.restoredAll();
        restoredAll(true);
        restoredAll(false);
        for (int entry = 0; entry < clocks.limit(); entry++) {
            PairClock clock = clocks.get(entry);
            if (!clock.left.restored() || !clock.right.restored()) {
                throw new SnapshotException("state `" + NAME + "`: a key has fewer packets than it has taken");
            }
            clocks.recount(entry);
        }
    }

    private void restoredAll(boolean ofLeft) throws SnapshotException {
        PairSide side = side(ofLeft);
        side.kept.restoredAll((packet, marked) -> {
            int entry = clocks.find(side.kept.key(packet));
            if (entry == KeyedTable.NONE) {
                throw new SnapshotException("state `" + NAME + "`: a packet whose key has no clock");
            }
            restore(side, line(clocks.get(entry), ofLeft), packet, marked);
        });
    }

    private static void restore(PairSide side, ClockedLine line, Packet packet, boolean marked) {
        line.makeRoom();
        int at = side.insert(line, packet, side.stream.group.applyAsInt(packet));
        if (marked) {
            side.mark(line, at);
        }
    }

    /** What has been reached, then of each stream the greatest event time and, in older snapshots, the packets. */
    private final class Format implements ValueFormat<PairClock> {
        @Override
        public String schema() {
            return "clocks and packets of " + left.stream.schema.sql() + " and of " + right.stream.schema.sql();
        }

        @Override
        public void write(PairClock value, DataOutput out) throws IOException {
            out.writeLong(value.reached);
            write(value.left, out);
            write(value.right, out);
        }

        private void write(ClockedLine line, DataOutput out) throws IOException {
            out.writeLong(line.greatest);
            out.writeBoolean(line.silent);
            out.writeInt(line.next() - line.first());
            out.writeInt(0);
        }

        @Override
        public PairClock read(DataInput in) throws IOException {
            PairClock clock = new PairClock();
            clock.reached = in.readLong();
            read(left, clock.left, in);
            read(right, clock.right, in);
            return clock;
        }

        private static void read(PairSide side, ClockedLine line, DataInput in) throws IOException {
            line.greatest = in.readLong();
            line.silent = in.readBoolean();
            line.restore(StateFormat.readCount(in, NAME, Integer.MAX_VALUE));
            for (int left = StateFormat.readCount(in, NAME, Integer.MAX_VALUE); left > 0; left--) {
                boolean marked = in.readBoolean();
                StateFormat.readPacket(in, NAME, side.older);
                side.kept.check(side.older);
                if (line.first() < line.end() && side.kept.time(side.older) < line.time(line.end() - 1)) {
                    throw new SnapshotException("state `" + NAME + "`: packets are not in order");
                }
                restore(side, line, side.older, marked);
            }
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
