package io.despina.operator.join;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.order.IdleKeys;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.LatePort;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.EventOrder;
import io.despina.state.KeyBuckets;
import io.despina.state.LayoutAdapter;
import io.despina.state.NamedNumbers;
import io.despina.state.PairClock;
import io.despina.state.PairedPackets;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.util.stream.IntStream;

/**
 * The two inputs of a join whose keys have clocks of their own, one on either side. A key's watermark is the lesser of its two
 * clocks. A packet moves a clock of its key alone; if the watermark grows by it, what that lets out leaves before the next packet
 * is looked at. The end of one input ends the clocks of its side for all keys: then all keys are asked in turn.
 */
final class ClockedInputs {
    private static final int LEFT = 0;

    /** What a join makes of packets. */
    interface Joining {
        /**
         * Whether a packet comes too late.
         *
         * @param watermark of its key
         * @throws RuntimeException if it is a bad packet
         */
        boolean isLate(long time, long watermark);

        /** Whether a packet without event time is a bad one; else it is dropped. */
        boolean needsTime();

        /** How far beyond a key's last packet the join may have something open, in microseconds. */
        long reach();

        /**
         * Takes what a key's watermark has let out.
         *
         * @return false if there is no room for more: called again with the same clock
         */
        boolean take(PairClock clock, long watermark) throws Exception;
    }

    /** One input. */
    static final class JoinInput {
        final boolean isLeft;
        final int time;
        final boolean keepsUnmatched;
        final KeyReader key;
        /** Its key stays while pairs of a packet are looked for; a snapshot may be written meanwhile. */
        final KeyReader forSnapshots;
        final LatePort late;
        final LayoutAdapter adapter;
        final Schema kept;

        JoinInput(OperatorContext context, int port, JoinOptions options) {
            isLeft = port == LEFT;
            kept = !isLeft ? options.rightKept()
                    : options.how().keepsRight() ? context.input(port).allNullable() : context.input(port);
            time = (isLeft ? options.left() : options.right()).order().time();
            keepsUnmatched = isLeft ? options.how().keepsLeft() : options.how().keepsRight();
            Keys keys = isLeft ? options.leftKeys() : options.rightKeys();
            key = new KeyReader(keys, context.instance());
            forSnapshots = new KeyReader(keys, context.instance());
            late = new LatePort(context, context.input(port));
            adapter = new LayoutAdapter(context.input(port), kept);
        }
    }

    private final OperatorContext context;
    private final Joining joining;
    private final Output out;
    private final JoinInput left;
    private final JoinInput right;
    private final PairedPackets packets;
    private final KeyedTime clocks;
    private final IdleKeys idle;
    /** Null if the keys of clocks are those of the join. */
    private final ScratchPacket clockKey;
    /** By side, {@link Long#MAX_VALUE} after its end. */
    private final NamedNumbers ends = new NamedNumbers("ends", Long.MIN_VALUE, Long.MIN_VALUE);
    /** The clock that a packet has moved, while what it lets out is taken; else null. */
    private PairClock current;
    /** After the end of an input, how many clocks have been asked; all if none has ended. */
    private int asked;
    private boolean asking;

    /** @param ordered whether packets of equal times are in the order of the columns that break ties */
    ClockedInputs(OperatorContext context, JoinOptions options, boolean ordered, Joining joining) {
        this.context = context;
        this.joining = joining;
        clocks = options.clocks();
        out = context.output(0);
        left = new JoinInput(context, LEFT, options);
        right = new JoinInput(context, 1, options);
        Keys keys = options.leftKeys();
        clockKey = isWholeKey(options) ? null : new ScratchPacket(options.clockSchema().layout());
        packets = new PairedPackets(options.clockSchema(), new KeyBuckets(options.clockSchema(), keys.buckets()),
                stream(left, options, ordered), stream(right, options, ordered));
        idle = new IdleKeys(context, Math.min(clocks.leftIdleMicros(), clocks.rightIdleMicros()));
    }

    /** Whether a join's keys are those of its clocks. */
    static boolean isWholeKey(JoinOptions options) {
        int size = options.leftKeys().schema().size();
        return IntStream.range(0, size).boxed().toList().equals(options.clocks().columns());
    }

    private PairedPackets.Stream stream(JoinInput side, JoinOptions options, boolean ordered) {
        EventOrder order = (side.isLeft ? options.left() : options.right()).order();
        ScratchPacket forSnapshots = clockKey == null ? null : new ScratchPacket(options.clockSchema().layout());
        return new PairedPackets.Stream(side.kept, ordered ? order : EventOrder.by(order.time()),
                side.isLeft ? clocks.leftDelayMicros() : clocks.rightDelayMicros(),
                side.isLeft ? clocks.leftIdleMicros() : clocks.rightIdleMicros(),
                packet -> clockKey(side.forSnapshots.of(packet), forSnapshots), packet -> group(side.forSnapshots.of(packet)));
    }

    /** The clock's key of a key of the join. @param scratch null if it is the same */
    private Packet clockKey(Packet key, ScratchPacket scratch) {
        if (scratch == null) {
            return key;
        }
        PacketWriter writer = scratch.begin();
        for (int k = 0; k < clocks.columns().size(); k++) {
            writer.setColumn(k, key, clocks.columns().get(k));
        }
        return scratch.commit();
    }

    private int group(Packet key) {
        return clockKey == null ? 0 : PairedPackets.group(key);
    }

    JoinInput side(boolean isLeft) {
        return isLeft ? left : right;
    }

    /** The clocks, and the packets that wait or are kept. */
    PairedPackets packets() {
        return packets;
    }

    /** The clock of a key of the join. */
    PairClock clockOf(Packet key) {
        return packets.clock(clockKey(key, clockKey));
    }

    /** Takes packets until there are none left or an output is full. */
    void accept(int port, PacketCursor cursor) throws Exception {
        if (!out.hasRoom() || !ask()) {
            return;
        }
        JoinInput side = side(port == LEFT);
        long now = idle.hear();
        Packet packet;
        while (side.late.hasRoom() && (packet = cursor.next()) != null) {
            if (current == null) {
                take(side, packet, now);
            }
            if (current != null && !takeReady()) {
                cursor.unread();       // it has been taken; so this is called again
                break;
            }
        }
        packets.compact();
    }

    private boolean takeReady() throws Exception {
        if (!joining.take(current, packets.watermark(current))) {
            return false;
        }
        packets.reach(current);
        current = null;
        return true;
    }

    private void take(JoinInput side, Packet packet, long now) throws Exception {
        if (packet.isNull(side.time)) {
            if (joining.needsTime()) {
                context.badRecord(new IllegalArgumentException("its event time is NULL"), packet);
            }
            return;
        }
        long time = packet.getLong(side.time);
        Packet adapted = side.adapter.adapt(packet);
        Packet key;
        PairClock clock;
        boolean late;
        try {
            key = side.key.of(adapted);
            clock = clockOf(key);
            packets.hear(clock, side.isLeft, now);
            late = joining.isLate(time, packets.watermark(clock));
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return;
        }
        if (late) {
            side.late.write(packet);
            return;
        }
        if (side.keepsUnmatched || !side.key.hasNull()) {
            packets.add(clock, side.isLeft, adapted, group(key));
        }
        if (packets.advance(clock, side.isLeft, time)) {
            current = clock;
        }
    }

    /** The watermark of one input has grown; with clocks only its end is one. */
    void watermark(int port, long grown) {
        if (grown == Long.MAX_VALUE && ends.get(port) != grown) {
            ends.set(port, grown);
            packets.end(port == LEFT);
            asking = true;
            asked = 0;
            context.wakeAt(context.wallMicros());
        }
    }

    /**
     * After the end of an input, asks all keys for what that lets out.
     *
     * @return false if there is no room
     */
    boolean ask() throws Exception {
        while (asking && asked < packets.limit()) {
            PairClock clock = packets.get(asked);
            if (clock != null) {
                if (!joining.take(clock, packets.watermark(clock))) {
                    return false;
                }
                packets.reach(clock);
            }
            asked++;
        }
        asking = false;
        return true;
    }

    /** Goes on with what the end of an input lets out, then looks for keys that have fallen silent. */
    boolean timer(long micros) throws Exception {
        return ask() && idle.look(micros, packets.limit(), (number, since) -> {
            if (current == null) {
                current = packets.look(number, micros, joining.reach());
            }
            return current == null || takeReady();
        });
    }

    /** Both inputs have ended. */
    boolean end() throws Exception {
        watermark(LEFT, Long.MAX_VALUE);
        watermark(1, Long.MAX_VALUE);
        return ask();
    }

    /** For snapshots. */
    State[] states() {
        return new State[] {ends, packets};
    }

    /** Called by the operator's {@code restored}. */
    void restored() {
        packets.restored(idle.restored());
        current = null;
        for (int port = LEFT; port <= 1; port++) {
            if (ends.get(port) == Long.MAX_VALUE) {
                packets.end(port == LEFT);
                asking = true;
            }
        }
        asked = 0;
        if (asking) {
            context.wakeAt(context.wallMicros());
        }
    }
}
