package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.OrderedInput;
import io.despina.operator.order.Origins;
import io.despina.operator.order.WallTime;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.spec.Clock;
import io.despina.state.EventOrder;
import io.despina.state.HeldPackets;
import io.despina.state.NamedNumbers;

/**
 * The packets of a function until they are answered: those that are held, as they came or in event order, and before them those
 * that wait for the watermark, where keys go by event time.
 */
final class Arrivals {
    private final OperatorContext context;
    private final BatchPace pace;
    private final WallTime wall;
    private final HeldPackets held;
    /** Null if the function keeps none. */
    private final KeyedStates states;
    private final EventOrder order;
    /** Null if packets are taken as they come. */
    private final OrderedInput waiting;
    private final Origins origins = new Origins();
    private final NamedNumbers progress = new NamedNumbers("watermark", Long.MIN_VALUE);
    private long watermark = Long.MIN_VALUE;
    private int wanted;
    /** The watermark that goes before the packets which are ready. */
    private long before = Long.MIN_VALUE;

    /**
     * @param pace   of batches: what is held is some of them
     * @param states of the function; null if it keeps none
     * @param order  of packets where keys go by event time; null: as they come
     */
    Arrivals(OperatorContext context, BatchPace pace, KeyedStates states, EventOrder order) {
        this.context = context;
        this.pace = pace;
        this.states = states;
        this.order = order;
        wall = new WallTime(context);
        Schema schema = context.input(0);
        held = states == null ? new HeldPackets("held", schema) : new HeldPackets("held", schema, states.newReader()::bucket);
        waiting = order == null ? null
                : new OrderedInput(context, 0, new OrderedInput.Waiting(order, schema, "ordered_"), states.newReader());
    }

    OperatorState with(OperatorState state) {
        state.with(wall.state(), progress, held);
        if (states != null) {
            state.with(states.table());
        }
        if (waiting != null) {
            state.with(waiting.states());
        }
        return state;
    }

    HeldPackets held() {
        return held;
    }

    /** The time of a packet that is held in event order. */
    long time(Packet packet) {
        return packet.getLong(order.time());
    }

    KeyedStates keyed() {
        return states;
    }

    long watermark() {
        return watermark;
    }

    /** Up to which event time all packets are held, or have been. */
    long heldUntil() {
        return waiting != null && waiting.isReady() ? waiting.headTime() : watermark;
    }

    /** Microseconds since 1970; never goes back. */
    long wallNow() {
        return wall.now();
    }

    /** When a timer is due by the wall clock; never if none is, or one is that waits for the worker. @param clock of timers */
    long nextTimer(Clock clock) {
        long first = clock == Clock.PROCESSING ? states.firstTimer() : NEVER;
        return first > wallNow() ? first : NEVER;
    }

    /** Takes packets while there is room for them. */
    void take(PacketCursor packets) throws Exception {
        if (waiting != null) {
            if (hasRoom()) {
                waiting.accept(packets);
            }
            return;
        }
        long now = wall.now();
        int had = held.size();
        Packet packet;
        while (hasRoom() && (packet = packets.next()) != null) {
            if (states == null || hasKey(packet)) {
                hold(now, packet, watermark);
            }
        }
        origins.add(held.size() - had, context.origin());
    }

    /** Holds the packets that the watermark has passed, in order, while there is room for them. */
    void takeReady() throws Exception {
        if (waiting == null) {
            return;
        }
        int had = held.size();
        while (hasRoom() && waiting.isReady()) {
            holdReady();
        }
        origins.add(held.size() - had, context.origin());
        before = waiting.isReady() ? before : watermark;
    }

    /** When the first packet that is held was due, in nanoseconds of the job's clock; now, if none is held. */
    long firstOrigin() {
        origins.shrink(held.size());
        return origins.first(context.clock().getAsLong());
    }

    private void holdReady() throws Exception {
        if (hasKey(waiting.head())) {
            hold(waiting.headTime(), waiting.head(), before);
        }
        waiting.dropHead();
    }

    private void hold(long time, Packet packet, long watermark) {
        held.add(time, packet, watermark);
        if (states != null) {
            states.hold(held.firstNumber() + held.size() - 1, held.size());
        }
    }

    /** Whether its key can be read, which {@link #hold} then takes. */
    private boolean hasKey(Packet packet) throws Exception {
        try {
            states.read(packet);
            return true;
        } catch (MalformedPacketException broken) {
            throw broken;
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return false;
        }
    }

    /** So many packets must be held before any of them can leave. */
    void want(int packets) {
        wanted = packets;
    }

    boolean hasRoom() {
        BatchLimits limits = pace.limits();
        return held.size() < wanted || held.size() < (long) limits.held() * pace.rows()
                && held.packetBytes() < (long) limits.held() * limits.bytes();
    }

    /** Whether all packets that the watermark has passed, or that came, are answered. */
    boolean isEmpty() {
        return held.isEmpty() && (waiting == null || !waiting.isReady());
    }

    /** When the first packet that waits for the watermark is due, or the first timer; {@code NEVER} if there is none. */
    long nextMoment() {
        long first = states == null ? NEVER : states.firstTimer();
        return waiting == null || waiting.waiting().isEmpty() ? first : Math.min(first, waiting.headTime());
    }

    /** Whether nothing is kept here, neither packets nor states. */
    boolean isBlank() {
        return held.isEmpty() && (waiting == null || waiting.waiting().isEmpty())
                && (states == null || states.table().size() == 0);
    }

    void watermark(long grown) {
        watermark = grown;
        progress.set(0, grown);
        if (waiting != null) {
            waiting.watermark(grown);
        }
    }

    void restored() throws Exception {
        watermark = progress.get(0);
        before = Long.MIN_VALUE;
        if (waiting != null) {
            waiting.restored();
            while (waiting.isReady()) {     // of one instance, while another held later ones: they are sorted together
                holdReady();
            }
        }
        held.settle(watermark);
        origins.add(held.size(), context.clock().getAsLong());     // nobody has kept when they were due
    }
}
