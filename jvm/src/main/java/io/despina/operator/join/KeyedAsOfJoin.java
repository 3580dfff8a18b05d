package io.despina.operator.join;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.spec.Matching;
import io.despina.state.ClockedLine;
import io.despina.state.PairClock;
import io.despina.state.PairedPackets;
import java.util.function.ToLongFunction;

/**
 * An {@link AsOfJoin} whose keys have clocks of their own: packets of a key wait until the lesser of its two clocks has passed
 * them. Its rows leave in the order of their left packets. Ports: left, right; out, late.
 */
public final class KeyedAsOfJoin extends KeyedJoin {
    private final Matching.AsOf asOf;

    private PairedPackets packets;
    private AsOfMatches matches;
    private ToLongFunction<Packet> reached;
    private Packet left;
    private Packet right;

    /** @param options with clocks */
    public KeyedAsOfJoin(JoinOptions options, Matching.AsOf asOf) {
        super(options, true);
        this.asOf = asOf;
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        matches = new AsOfMatches(opened, options(), asOf);
        packets = packets();
        reached = key -> inputs().clockOf(key).reached();
        left = new Packet(inputs().side(LEFT).kept.layout());
        right = new Packet(inputs().side(RIGHT).kept.layout());
        state().with(matches.state());
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
    public boolean take(PairClock clock, long watermark) throws Exception {
        ClockedLine lefts = clock.left();
        ClockedLine rights = clock.right();
        boolean leftReady = lefts.isReady(watermark);
        boolean rightReady = rights.isReady(watermark);
        while ((leftReady || rightReady) && hasRoom()) {
            if (rightReady && (!leftReady || isRightFirst(lefts, rights))) {
                packets.view(rights, RIGHT, rights.first(), right);
                matches.keep(right);
                matches.sweep(reached);
                packets.dropFirst(clock, RIGHT);
                rightReady = rights.isReady(watermark);
            } else {
                packets.view(lefts, LEFT, lefts.first(), left);
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
        packets.view(lefts, LEFT, lefts.first(), left);
        packets.view(rights, RIGHT, rights.first(), right);
        return matches.isAtOrBefore(right, left);
    }

    @Override
    public long reach() {
        return 1;
    }
}
