package io.despina.operator.join;

import io.despina.operator.OperatorContext;
import io.despina.operator.order.WindowStarts;
import io.despina.spec.Windows;
import io.despina.state.ClockedLine;
import io.despina.state.PairClock;
import io.despina.state.PairedPackets;
import java.util.BitSet;

/**
 * A {@link WindowJoin} whose keys have clocks of their own. A key's window closes when the lesser of its two clocks reaches its
 * end; the windows of a key close in the order of their ends. A packet is kept once, until the last of its windows has closed.
 * Ports: left, right; out, late.
 */
public final class KeyedWindowJoin extends KeyedJoin {
    private final Windows windows;
    private final WindowStarts starts;

    private PairedPackets packets;
    private ClockedPairs pairs;
    private JoinedRow row;

    /** Whether a window closes whose rows have not all left. */
    private boolean closing;
    /** Of the clock whose windows close, the end of the last that has. */
    private long closed = Long.MIN_VALUE;
    private long start;
    /** The left packet that is compared, by index; those before it are done. */
    private int leftAt;
    /** Whether it has been compared with those before {@link #rightAt}. */
    private boolean begun;
    private boolean leftMatched;
    /** The next right packet to compare it with. */
    private int rightAt;
    /** Right packets that have a match, by index. */
    private final BitSet matched = new BitSet();
    /** Of the right packets without a match, those before this index have left. */
    private int aloneAt;

    /** @param options with clocks */
    public KeyedWindowJoin(JoinOptions options, Windows windows) {
        super(options, false);
        this.windows = windows;
        starts = new WindowStarts(windows);
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
        if (!starts.has(time)) {
            throw WindowStarts.outside(time);
        }
        return starts.last(time) + windows.size() <= watermark;
    }

    @Override
    public boolean needsTime() {
        return false;
    }

    @Override
    public boolean take(PairClock clock, long watermark) throws Exception {
        while (closing || begin(clock, watermark)) {
            if (!leave(clock)) {
                return false;
            }
            closing = false;
            closed = start + windows.size();
            drop(clock, LEFT);
            drop(clock, RIGHT);
        }
        closed = Long.MIN_VALUE;
        return true;
    }

    /** Goes on to the next window that closes by the watermark and has packets; false if there is none. */
    private boolean begin(PairClock clock, long watermark) {
        ClockedLine lefts = clock.left();
        ClockedLine rights = clock.right();
        if (lefts.first() == lefts.end() && rights.first() == rights.end()) {
            return false;
        }
        long first = Math.min(lefts.first() == lefts.end() ? Long.MAX_VALUE : lefts.time(lefts.first()),
                rights.first() == rights.end() ? Long.MAX_VALUE : rights.time(rights.first()));
        long end = windows.firstEnd(Math.max(first, Math.max(clock.reached(), closed)));
        if (end > watermark) {
            return false;
        }
        closing = true;
        start = end - windows.size();
        row.window(start, end);
        leftAt = lefts.first();
        rightAt = rights.first();
        aloneAt = rights.first();
        begun = false;
        matched.clear();
        return true;
    }

    /** Writes the rows of the window; false if the output is full. */
    private boolean leave(PairClock clock) throws Exception {
        ClockedLine lefts = clock.left();
        ClockedLine rights = clock.right();
        int leftEnd = lefts.from(lefts.first(), lefts.end(), start + windows.size());
        int rightEnd = rights.from(rights.first(), rights.end(), start + windows.size());
        while (leftAt < leftEnd) {
            if (!meet(lefts, rights, rightEnd)) {
                return false;
            }
            leftAt++;
            begun = false;
            rightAt = rights.first();
        }
        while (options().how().keepsRight() && aloneAt < rightEnd) {
            if (!hasRoom()) {
                return false;
            }
            if (!matched.get(aloneAt)) {
                pairs.alone(rights, aloneAt, RIGHT);
            }
            aloneAt++;
        }
        return true;
    }

    /** Writes the rows of one left packet. */
    private boolean meet(ClockedLine lefts, ClockedLine rights, int rightEnd) throws Exception {
        boolean meeting = pairs.begin(lefts, leftAt, LEFT);     // each time: packets may have moved meanwhile
        leftMatched &= begun;
        begun = true;
        while (meeting && rightAt < rightEnd) {
            if (!hasRoom()) {
                return false;
            }
            if (pairs.pair(rights, rightAt)) {
                leftMatched = true;
                matched.set(rightAt);
            }
            rightAt++;
        }
        if (options().how().keepsLeft() && !leftMatched) {
            if (!hasRoom()) {
                return false;
            }
            pairs.alone(lefts, leftAt, LEFT);
        }
        return true;
    }

    /** Drops packets of a side that no later window holds. */
    private void drop(PairClock clock, boolean isLeft) {
        ClockedLine line = isLeft ? clock.left() : clock.right();
        while (line.first() < line.end() && line.time(line.first()) - start < windows.slide()) {
            packets.dropFirst(clock, isLeft);
        }
    }

    @Override
    public long reach() {
        return windows.size();
    }

    @Override
    public void restored() {
        super.restored();
        closing = false;
        closed = Long.MIN_VALUE;
    }
}
