package io.despina.operator.order;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.EventOrder;
import io.despina.state.State;
import java.util.List;

/**
 * The packets of an {@link OrderedOperator}: in event order, or as they come, without a time or with that of the wall clock. It
 * says when the operator takes them, and reports the size of the operator's state after each call.
 *
 * <p>The loop over the packets is the operator's own. One loop for all operators would call each of them by its interface, which
 * costs about 5 nanoseconds per packet.
 */
public final class Ordered {

    /**
     * Which packets they are.
     *
     * @param order  of the packets; null: as they come
     * @param groups of the operator
     * @param keys   reads them
     */
    public record Packets(EventOrder order, Keys groups, KeyReader keys) {
    }

    private final OperatorContext context;
    private final OperatorState state;
    private final OrderedOperator operator;
    /** Null if packets are taken as they come. */
    private final InOrder input;
    /** Null without the wall clock. */
    private final WallTime wall;
    private boolean ended;

    /** @param state the operator's: that of the packets that wait is added */
    public Ordered(OperatorContext context, Packets packets, OperatorState state, OrderedOperator operator) {
        this(context, packets.order == null ? null
                : InOrderInputs.open(context, packets.order, packets.groups, packets.keys, operator), state, operator);
    }

    /** @param input what delivers the packets that have an event time; null if they are taken as they come */
    public Ordered(OperatorContext context, InOrder input, OperatorState state, OrderedOperator operator) {
        this.context = context;
        this.state = state;
        this.operator = operator;
        this.input = input;
        wall = null;
        if (input != null) {
            state.with(input.states());
        }
    }

    /** Packets as they come, each with the instant at which it is taken. @param state the operator's: the clock's is added */
    public Ordered(OperatorContext context, OperatorState state, OrderedOperator operator) {
        this.context = context;
        this.state = state;
        this.operator = operator;
        wall = new WallTime(context);
        input = null;
        state.with(wall.state());
    }

    void process(PacketCursor packets) throws Exception {
        if (input != null) {
            input.accept(packets);
        } else if (wall == null) {
            operator.takeAsTheyCome(packets, 0);
        } else {
            long now = wall.now();
            if (operator.giveDue(now)) {
                operator.takeAsTheyCome(packets, now);
            }
            context.wakeAt(operator.firstDue());
        }
        state.report();
    }

    boolean timer(long micros) throws Exception {
        boolean done = wall == null ? input.timer(micros, operator.reach()) : operator.giveDue(wall.now());
        if (done && wall != null) {
            context.wakeAt(operator.firstDue());
        }
        state.report();
        return done;
    }

    boolean watermark(long grown) throws Exception {
        if (input == null) {
            return true;
        }
        ended = grown == Long.MAX_VALUE;
        input.watermark(grown);
        boolean done = operator.takeReady(input);
        state.report();
        return done;
    }

    boolean end() throws Exception {
        ended = true;
        boolean done = wall == null || operator.giveDue(Long.MAX_VALUE);
        state.report();
        return done;
    }

    /** Delivers the packets that have an event time. */
    public InOrder input() {
        return input;
    }

    /** Whether the input has ended, so that time has come to its end. */
    public boolean hasEnded() {
        return ended;
    }

    /** The instant by the wall clock, in microseconds since 1970; before all others without the wall clock. */
    public long wallNow() {
        return wall == null ? Long.MIN_VALUE : wall.now();
    }

    /** The number of the clock whose packets are taken; 0 if all share one. */
    public int clock() {
        return input == null ? 0 : input.clock();
    }

    /** The number of the clock by which a group goes; 0 if all share one. The clock is there. */
    public int clockOf(Packet group) {
        return input == null ? 0 : input.clockOf(group);
    }

    /** The operator's state has grown. A call may take many packets, so that its end is too late to say so. */
    public void report() {
        state.report();
    }

    List<State> states() {
        return state.all();
    }

    void restored() {
        if (input != null) {
            input.restored();
            ended = input.watermark() == Long.MAX_VALUE;
        }
        operator.restoreQueues();
        if (wall != null) {
            context.wakeAt(operator.firstDue());
        }
    }
}
