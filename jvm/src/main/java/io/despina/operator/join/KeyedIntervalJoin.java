package io.despina.operator.join;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.spec.Matching;
import io.despina.state.ClockedLine;
import io.despina.state.EventOrder;
import io.despina.state.PairClock;
import io.despina.state.PairedPackets;

/**
 * An {@link IntervalJoin} whose keys have clocks of their own. Packets of a key wait until the lesser of its two clocks has
 * passed them, and are then taken in the order of their times: each meets the packets of the other side that were taken before
 * it. So rows of pairs leave in the order of the greater of their two times, which is what the stream behind goes by. A packet
 * is kept until nothing can match it by its key's clocks. Ports: left, right; out, late.
 */
public final class KeyedIntervalJoin extends KeyedJoin {
    private final Matching.Between between;

    private PairedPackets packets;
    private ClockedPairs pairs;
    private JoinedRow row;
    private Packet own;
    /** Whether the first packet that waits has met those before {@link #next}. */
    private boolean meeting;
    private int next;

    /** @param options with clocks */
    public KeyedIntervalJoin(JoinOptions options, Matching.Between between) {
        super(options, false);
        this.between = between;
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        packets = packets();
        row = new JoinedRow(options(), opened.input(0), opened.instance(), opened.output(0));
        pairs = new ClockedPairs(opened, options(), inputs(), row);
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
        boolean leftReady = clock.left().isReady(watermark);
        boolean rightReady = clock.right().isReady(watermark);
        while (leftReady || rightReady) {
            boolean isLeft = leftReady && (!rightReady
                    || clock.left().time(clock.left().next()) <= clock.right().time(clock.right().next()));
            if (!meet(clock, isLeft)) {
                return false;
            }
            packets.take(clock, isLeft);
            leftReady = clock.left().isReady(watermark);
            rightReady = clock.right().isReady(watermark);
        }
        return forget(clock, RIGHT, watermark) && forget(clock, LEFT, watermark);
    }

    /**
     * The rows of the first packet that waits with those of the other side that have been taken.
     *
     * @return false if there is no room for all
     */
    private boolean meet(PairClock clock, boolean isLeft) throws Exception {
        ClockedLine line = line(clock, isLeft);
        ClockedLine others = line(clock, !isLeft);
        int at = line.next();
        long time = line.time(at);
        long least = isLeft ? between.from() : -between.to();
        long most = isLeft ? between.to() : -between.from();
        if (!meeting) {
            next = others.from(others.first(), others.next(), EventOrder.plus(time, least));
        }
        long last = EventOrder.plus(time, most);
        meeting = next < others.next() && others.time(next) <= last && pairs.begin(line, at, isLeft);
        while (meeting && next < others.next() && others.time(next) <= last) {
            if (!hasRoom()) {
                return false;
            }
            if (pairs.pair(others, next)) {
                packets.mark(clock, isLeft, at);
                packets.mark(clock, !isLeft, next);
            }
            next++;
        }
        meeting = false;
        return true;
    }

    private static ClockedLine line(PairClock clock, boolean isLeft) {
        return isLeft ? clock.left() : clock.right();
    }

    /**
     * Drops the packets of a side that nothing will match any more.
     *
     * @return false if there is no room for their rows
     */
    private boolean forget(PairClock clock, boolean isLeft, long watermark) throws Exception {
        ClockedLine line = line(clock, isLeft);
        long more = isLeft ? between.to() : -between.from();
        boolean keeps = inputs().side(isLeft).keepsUnmatched;
        while (line.first() < line.next() && EventOrder.passed(watermark, EventOrder.plus(line.time(line.first()), more))) {
            if (keeps && !line.isMarked(line.first())) {
                if (!hasRoom()) {
                    return false;
                }
                pairs.alone(line, line.first(), isLeft);
            }
            packets.dropFirst(clock, isLeft);
        }
        return true;
    }

    @Override
    public long reach() {
        return EventOrder.plus(Math.max(0, Math.max(between.to(), -between.from())), 1);
    }

    @Override
    public void restored() {
        super.restored();
        meeting = false;
    }
}
