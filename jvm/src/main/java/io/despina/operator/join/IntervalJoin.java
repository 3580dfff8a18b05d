package io.despina.operator.join;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.KeysAhead;
import io.despina.operator.order.LatePort;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.spec.Matching;
import io.despina.state.EventOrder;
import io.despina.state.LayoutAdapter;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import io.despina.state.TimedList;
import io.despina.state.Timeline;
import java.util.List;

/**
 * Joins each left packet with every right packet of equal keys whose event time differs by an amount within the given bounds, and
 * for which the condition holds. A row leaves as soon as both its packets have arrived; the row of a packet without a match
 * leaves when the watermark has passed all possible matches. Packets are dropped when no later packet can match them. Ports:
 * left, right; out, late.
 */
public final class IntervalJoin implements Operator {
    private static final int LEFT = 0;

    private final JoinOptions options;
    private final Matching.Between between;

    private OperatorContext context;
    private Output out;
    private Side left;
    private Side right;
    private JoinedRow row;
    private NamedNumbers progress;
    private OperatorState state;
    private long watermark = Long.MIN_VALUE;

    /** Whether the packet read last is already kept, and compared with the packets before {@link #next}. */
    private boolean meeting;
    /** Whether that packet is marked as matched. */
    private boolean met;
    private int next;

    public IntervalJoin(JoinOptions options, Matching.Between between) {
        this.options = options;
        this.between = between;
    }

    /** One input, with the packets kept of it. */
    private static final class Side {
        final int time;
        final boolean keyed;
        final boolean keepsUnmatched;
        final KeyReader key;
        /** Of packets that come, and of those that are dropped. */
        final KeysAhead coming;
        final KeysAhead going;
        final LatePort late;
        final LayoutAdapter adapter;
        final Timeline kept;
        final Packet view;

        Side(OperatorContext context, int port, JoinOptions options) {
            boolean isLeft = port == LEFT;
            Schema schema = !isLeft ? options.rightKept()
                    : options.how().keepsRight() ? context.input(port).allNullable() : context.input(port);
            var keys = isLeft ? options.leftKeys() : options.rightKeys();
            time = (isLeft ? options.left() : options.right()).order().time();
            keyed = !keys.isNone();
            keepsUnmatched = isLeft ? options.how().keepsLeft() : options.how().keepsRight();
            key = new KeyReader(keys, context.instance());
            coming = new KeysAhead(keys, context, context.input(port));
            going = new KeysAhead(keys, context, schema);
            late = new LatePort(context, context.input(port));
            adapter = new LayoutAdapter(context.input(port), schema);
            kept = new Timeline(isLeft ? "left" : "right", schema, time,
                    new Timeline.Keys(keys.schema(), keys.buckets(), this::key));
            view = new Packet(schema.layout());
        }

        /** The key of {@code packet}, or null if it equals nothing. */
        Packet key(Packet packet) {
            Packet of = key.of(packet);
            return keyed && key.hasNull() ? null : of;
        }
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        left = new Side(opened, LEFT, options);
        right = new Side(opened, 1, options);
        row = new JoinedRow(options, opened.input(LEFT), opened.instance(), out);
        progress = new NamedNumbers("watermark", Long.MIN_VALUE);
        state = new OperatorState(opened).with(progress, left.kept, right.kept);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Side own = port == LEFT ? left : right;
        Side other = port == LEFT ? right : left;
        while (out.hasRoom() && own.late.hasRoom()) {
            Packet packet = own.coming.next(packets, own.kept.table());
            if (packet == null) {
                break;
            }
            if (!take(own, other, packet)) {
                packets.unread();
                break;
            }
        }
        state.report();
    }

    /** @return false if there is no more room: read the packet again later */
    private boolean take(Side own, Side other, Packet packet) throws Exception {
        if (!meeting && !isInTime(own, packet)) {
            return true;
        }
        Packet adapted = own.adapter.adapt(packet);
        Packet key;
        try {
            key = own.key(adapted);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return true;
        }
        if (!meeting && (key != null || own.keepsUnmatched)) {
            own.kept.add(key, adapted);
            met = false;
        }
        return key == null || meet(own, other, adapted, key);
    }

    private boolean isInTime(Side own, Packet packet) throws Exception {
        if (packet.isNull(own.time)) {
            context.badRecord(new IllegalArgumentException("its event time is NULL"), packet);
            return false;
        }
        if (packet.getLong(own.time) < watermark) {
            own.late.write(packet);
            return false;
        }
        return true;
    }

    private boolean meet(Side own, Side other, Packet packet, Packet key) throws Exception {
        TimedList list = other.kept.of(key);
        if (list == null) {
            return true;
        }
        long time = packet.getLong(own.time);
        boolean isLeft = own == left;
        int end = list.after(isLeft ? EventOrder.plus(time, between.to()) : EventOrder.plus(time, -between.from()));
        if (!meeting) {
            next = list.from(isLeft ? EventOrder.plus(time, between.from()) : EventOrder.plus(time, -between.to()));
            meeting = true;
        }
        while (next < end) {
            if (!context.hasRoom()) {
                return false;
            }
            int at = next++;
            other.kept.view(list.place(at), other.view);
            if (isLeft ? pair(packet, other.view) : pair(other.view, packet)) {
                other.kept.mark(key, at);
                if (!met) {
                    met = true;
                    markLatest(own, key, time);
                }
            }
        }
        meeting = false;
        return true;
    }

    /** Emits the pair's row if the condition holds. A pair whose evaluation fails counts as not matching. */
    private boolean pair(Packet ofLeft, Packet ofRight) throws Exception {
        try {
            boolean matches = row.matches(ofLeft, ofRight);
            if (matches) {
                row.emit(ofLeft, ofRight);
            }
            return matches;
        } catch (RuntimeException bad) {
            context.badRecord(bad, left.adapter.back(ofLeft));
            return false;
        }
    }

    /** Marks the packet that was added last. */
    private static void markLatest(Side of, Packet key, long time) {
        of.kept.mark(key, of.kept.of(key).after(time) - 1);
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        watermark = Math.max(watermark, grown);
        progress.set(0, watermark);
        boolean done = forget(right, -between.from()) && forget(left, between.to());
        state.report();
        return done;
    }

    /**
     * Drops the packets of a side that nothing will match any more.
     *
     * @param more how long after a packet its last match may come
     * @return false if there is no room for their rows
     */
    private boolean forget(Side side, long more) throws Exception {
        while (!side.kept.isEmpty() && isPassed(side.kept.headTime(), more)) {
            if (side.keepsUnmatched && !context.hasRoom()) {
                return false;
            }
            forgetHead(side);
        }
        return true;
    }

    private boolean isPassed(long time, long more) {
        return EventOrder.passed(watermark, EventOrder.plus(time, more));
    }

    private void forgetHead(Side side) throws Exception {
        side.going.before(side.kept.earliest(), side.kept.table());
        Packet packet = side.kept.head();
        TimedList list = side.kept.headList(side.key(packet));
        if (side.keepsUnmatched && !list.isMarked(list.first())) {
            emitUnmatched(side, packet);
        }
        side.kept.removeHead();
    }

    private void emitUnmatched(Side side, Packet packet) throws Exception {
        try {
            if (side == left) {
                row.emitLeft(packet);
            } else {
                row.emitRight(packet);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, side.adapter.back(packet));
        }
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        watermark = progress.get(0);
    }
}
