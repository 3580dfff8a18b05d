package io.despina.operator.join;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Matching;
import io.despina.state.ClockedLine;
import io.despina.state.PairClock;
import io.despina.state.PairedPackets;
import io.despina.state.State;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * An {@link AsOfJoin} whose keys have clocks of their own: packets of a key wait until the lesser of its two clocks has passed
 * them. Its rows leave in the order of their left packets. Ports: left, right; out, late.
 */
public final class KeyedAsOfJoin implements Operator, ClockedInputs.Joining {
    private static final boolean LEFT = true;
    private static final boolean RIGHT = false;

    private final JoinOptions options;
    private final Matching.AsOf asOf;

    private OperatorContext context;
    private ClockedInputs inputs;
    private PairedPackets packets;
    private AsOfMatches matches;
    private ToLongFunction<Packet> reached;
    private OperatorState state;
    private Packet left;
    private Packet right;

    /** @param options with clocks */
    public KeyedAsOfJoin(JoinOptions options, Matching.AsOf asOf) {
        this.options = options;
        this.asOf = asOf;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        matches = new AsOfMatches(opened, options, asOf);
        inputs = new ClockedInputs(opened, options, true, this);
        packets = inputs.packets();
        reached = key -> inputs.clockOf(key).reached();
        left = new Packet(inputs.side(LEFT).kept.layout());
        right = new Packet(inputs.side(RIGHT).kept.layout());
        state = new OperatorState(opened).with(inputs.states()).with(matches.state());
    }

    @Override
    public boolean isLate(long time, long watermark) {
        return time < watermark;
    }

    @Override
    public boolean needsTime() {
        return true;
    }

    @Override
    public void process(int port, PacketCursor cursor) throws Exception {
        inputs.accept(port, cursor);
        state.report();
    }

    @Override
    public boolean take(PairClock clock, long watermark) throws Exception {
        ClockedLine lefts = clock.left();
        ClockedLine rights = clock.right();
        boolean leftReady = lefts.isReady(watermark);
        boolean rightReady = rights.isReady(watermark);
        while ((leftReady || rightReady) && context.hasRoom()) {
            if (rightReady && (!leftReady || isRightFirst(lefts, rights))) {
                packets.view(rights, rights.first(), right);
                matches.keep(right);
                matches.sweep(reached);
                packets.dropFirst(clock, RIGHT);
                rightReady = rights.isReady(watermark);
            } else {
                packets.view(lefts, lefts.first(), left);
                matches.join(left);
                packets.dropFirst(clock, LEFT);
                leftReady = lefts.isReady(watermark);
            }
        }
        return !leftReady && !rightReady;
    }

    /** Whether the first right packet is at or before the first left one. */
    private boolean isRightFirst(ClockedLine lefts, ClockedLine rights) {
        long leftTime = lefts.time(lefts.first());
        long rightTime = rights.time(rights.first());
        if (leftTime != rightTime || asOf.strict() || !matches.comparesPeers()) {
            return rightTime < leftTime || rightTime == leftTime && !asOf.strict();
        }
        packets.view(lefts, lefts.first(), left);
        packets.view(rights, rights.first(), right);
        return matches.isAtOrBefore(right, left);
    }

    @Override
    public void inputWatermark(int port, long watermark) {
        inputs.watermark(port, watermark);
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = inputs.timer(micros);
        state.report();
        return done;
    }

    @Override
    public long reach() {
        return 1;
    }

    @Override
    public boolean release() throws Exception {
        return ask();
    }

    private boolean ask() throws Exception {
        boolean done = inputs.ask();
        state.report();
        return done;
    }

    /** All clocks stop at the end of both inputs. */
    @Override
    public boolean watermark(long watermark) throws Exception {
        boolean done = watermark < Long.MAX_VALUE || inputs.end();
        state.report();
        return done;
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        inputs.restored();
    }
}
