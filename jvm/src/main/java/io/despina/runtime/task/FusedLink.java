package io.despina.runtime.task;

import io.despina.buffer.Overdraft;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.link.PortOutput;
import io.despina.link.PortSettings;
import io.despina.packet.Bytes;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.wake.Waker;
import java.util.Arrays;

/**
 * A link between two stages of one task. The earlier stage fills a small scratch region, and {@link #drain} moves the later
 * stage's cursor through it. Signals keep their place between the packets as marks. A segment takes the region's place for a
 * larger packet, until that has been drained.
 */
final class FusedLink implements PortOutput, PacketWriter.Regions {
    /** Filled beyond this, the region has no room. Small enough for the first-level cache. */
    private static final int ROOM = 8 << 10;
    /** What one packet may take beyond {@link #ROOM} before the region grows. */
    private static final int SLACK = 4 << 10;
    /** After so many calls for one mark, the task looks at what else there is, as that it is to end. */
    private static final int ROUNDS = 64;
    private static final int MARKS = 32;
    /** A larger region means that an operator writes without checking for room. */
    private static final int LIMIT = 16 << 20;

    /** A signal between packets; reused. */
    private static final class Mark {
        private SegmentKind kind;
        private long value;
        private boolean exact;
        private int at;
    }

    private final PacketWriter writer;
    private final Stage later;
    private final PortSettings settings;
    private final Overdraft.Borrower overdraft;
    /** The links behind {@link #later}. */
    private final FusedLink[] behind;
    private final byte[] small = new byte[ROOM + SLACK];
    /** In place of {@link #small} while there is a packet that is larger; or null. */
    private Segment large;

    private Mark[] marks = new Mark[MARKS];
    private int markCount;
    private int markNext;
    /** Packets in the region before it last grew, and in all regions before this one. */
    private int grownPackets;
    private long before;
    private long origin = Long.MAX_VALUE;
    /** Whether {@link #drain} has begun on what is in the region, and how far the later stage's cursor was set. */
    private boolean draining;
    private int walkedTo;

    FusedLink(Schema schema, Stage later, FusedLink[] behind, PortSettings settings) {
        this.later = later;
        this.behind = behind;
        this.settings = settings;
        overdraft = settings.rank().borrower();
        writer = new PacketWriter(schema.layout(), this);
        writer.open(small, 0, ROOM);
    }

    /** Drains them all, also if one cannot be. @return whether all are */
    static boolean drain(FusedLink[] links) {
        boolean drained = true;
        for (FusedLink link : links) {
            drained &= link.drain();
        }
        return drained;
    }

    /**
     * Moves everything written so far through the later stage and the stages behind it.
     *
     * @return false if a port of a later stage has no room, or a stage has so much to give that others must have their turn:
     *         nothing may be written here before this has returned true
     */
    boolean drain() {
        if (!draining) {
            if (writer.position() == 0 && markCount == 0) {
                return drain(behind);
            }
            beginDrain();
        }
        while (true) {
            if (!walk(markNext < markCount ? marks[markNext].at : writer.position())) {
                return false;
            }
            if (markNext == markCount) {
                break;
            }
            if (!pass(marks[markNext])) {
                return false;
            }
            markNext++;
        }
        startOver();
        return drain(behind);
    }

    private void beginDrain() {
        draining = true;
        walkedTo = 0;
        markNext = 0;
        later.arrive(grownPackets + writer.packets(), origin);
        later.tail(0, writer.bytes(), 0, writer.position());
        later.cursor(0).reset(writer.bytes(), 0, 0);
    }

    private boolean walk(int to) {
        PacketCursor cursor = later.cursor(0);
        if (walkedTo < to && cursor.isEmpty()) {
            cursor.reset(writer.bytes(), walkedTo, to);
            walkedTo = to;
        }
        while (!cursor.isEmpty()) {
            later.process(0);
            if (!drain(behind) || !cursor.isEmpty() && !later.hasRoom()) {
                return false;
            }
        }
        return true;
    }

    private boolean pass(Mark mark) {
        for (int round = 1; !later.take(mark.kind, mark.value, mark.exact); round++) {
            if (!drain(behind) || !later.hasRoom() || round == ROUNDS) {
                return false;
            }
        }
        return true;
    }

    /** Drops what is written and not yet processed. @return how many packets that was */
    long drop() {
        PacketCursor cursor = later.cursor(0);
        long dropped = 0;
        if (draining) {
            dropped += rest(cursor);
            cursor.reset(writer.bytes(), walkedTo, writer.position());
            dropped += rest(cursor);
            later.leave(dropped);
        } else {
            dropped = grownPackets + writer.packets();
        }
        startOver();
        return dropped;
    }

    /** Walks a cursor to its end. */
    static long rest(PacketCursor cursor) {
        long packets = 0;
        while (!cursor.isEmpty()) {
            cursor.next();
            packets++;
        }
        return packets;
    }

    private void startOver() {
        before += grownPackets + writer.packets();
        grownPackets = 0;
        markCount = 0;
        origin = Long.MAX_VALUE;
        draining = false;
        writer.open(small, 0, ROOM);
        if (large != null) {
            later.cursor(0).letGo();
        }
        letGo(large);
        large = null;
    }

    private static void letGo(Segment large) {
        if (large != null) {
            large.release();
        }
    }

    @Override
    public void makeRoom(PacketWriter full, int needed) {
        int position = full.position();
        int most = settings.maxPacketBytes() + Bytes.MAX_VARINT;
        if (needed > most) {
            throw new IllegalArgumentException("a packet of at least " + needed + " bytes; max_packet_bytes="
                    + settings.maxPacketBytes());
        }
        if (position > LIMIT) {
            throw new IllegalStateException("operator before " + later.spec().operatorId() + " wrote " + position
                    + " bytes without looking for room");
        }
        grownPackets += full.packets();
        byte[] region = full.bytes();
        if (needed <= region.length - position) {
            full.move(region, position, region.length);
            return;
        }
        Segment before = large;
        takeLarge(position + needed, (int) Math.min(position + most, Math.max(2L * full.limit(), position + needed)));
        System.arraycopy(region, 0, large.bytes(), 0, position);
        full.move(large.bytes(), position, large.capacity());
        letGo(before);
    }

    private void takeLarge(int needed, int wanted) {
        Segment before = large;
        large = settings.pool().tryTake(wanted);
        if (large == null) {
            large = settings.pool().tryTake(needed);
        }
        if (large == null) {
            large = overdraft.take(before == null ? needed : wanted, before);
        }
    }

    @Override
    public PacketWriter writer() {
        return writer;
    }

    @Override
    public boolean hasRoom() {
        return writer.position() < ROOM && markCount < MARKS && !draining && (overdraft.isFree() || mayWrite());
    }

    /** Whether a packet beyond the budget may be written here, or is. */
    boolean mayWrite() {
        return large != null || overdraft.mayWrite();
    }

    /** Whether a large packet is here: one that is beyond the budget has the turn of its rank. */
    boolean isLarge() {
        return large != null;
    }

    @Override
    public void due(long nanos) {
        origin = Math.min(origin, nanos);
    }

    @Override
    public void watermark(long micros, boolean exact) {
        if (markCount > 0) {
            Mark last = marks[markCount - 1];
            if (last.kind == SegmentKind.WATERMARK && !last.exact) {
                markCount--;
            }
        }
        mark(SegmentKind.WATERMARK, micros, exact);
    }

    @Override
    public void signal(SegmentKind kind, long value) {
        mark(kind, value, false);
    }

    private void mark(SegmentKind kind, long value, boolean exact) {
        if (markCount == marks.length) {
            marks = Arrays.copyOf(marks, 2 * marks.length);
        }
        if (marks[markCount] == null) {
            marks[markCount] = new Mark();
        }
        Mark mark = marks[markCount++];
        mark.kind = kind;
        mark.value = value;
        mark.exact = exact;
        mark.at = writer.position();
    }

    @Override
    public long flush(long now) {
        overdraft.leave();
        return Long.MAX_VALUE;
    }

    @Override
    public void setWaker(Waker task) {
        overdraft.setWaker(task);
    }

    @Override
    public long packets() {
        return before + grownPackets + writer.packets();
    }

    @Override
    public void close() {
        startOver();
        overdraft.leave();
    }
}
