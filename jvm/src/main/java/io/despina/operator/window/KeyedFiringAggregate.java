package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Packet;
import io.despina.spec.Window;
import io.despina.spec.Windows;

/**
 * Tumbling or sliding windows that fire more than once, by the clocks of keys. A packet is late if all its windows have given
 * their last rows. Ports: in; out, late.
 */
public final class KeyedFiringAggregate extends KeyedFiring {
    private final Windows windows;
    private final WindowStarts starts;
    private final long lateWithin;
    /** The distance from a packet's last window to the first that may hold it. */
    private final long most;
    /** Whether a packet is checked against all its windows before it is added to any. */
    private boolean tries;

    /**
     * @param timeColumn ordinal of the input's event time
     * @param keys       of the groups, with clocks
     */
    public KeyedFiringAggregate(int timeColumn, Window.Fired fired, Keys keys, Compiled<Aggregation> compiled) {
        super(new Firing.Inputs(timeColumn, keys, compiled),
                new Times(fired.windows().size(), fired.every(), fired.onChange(), fired.lateWithin()));
        windows = fired.windows();
        starts = new WindowStarts(windows);
        lateWithin = fired.lateWithin();
        most = (windows.overlap() - 1) * windows.slide();
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        tries = !opened.failsOnBadRecord() && windows.overlap() > 1;
    }

    @Override
    long lastEnd(FiredWindows of, long time) {
        if (!starts.has(time)) {
            throw WindowStarts.outside(time);
        }
        return starts.last(time) + windows.size();
    }

    @Override
    void add(FiredWindows to, Packet packet, long time) {
        long last = starts.last(time);
        if (tries) {
            for (long back = 0; back <= most && isOpen(to, last - back, time); back += windows.slide()) {
                check(to, last - back, packet);
            }
        }
        for (long back = 0; back <= most && isOpen(to, last - back, time); back += windows.slide()) {
            FiredWindows.Span into = add(to, last - back, packet);
            into.packets += back == 0 ? 1 : 0;
        }
    }

    /** Whether the window that starts there holds {@code time}, which is not before, and has not given its last row. */
    private boolean isOpen(FiredWindows of, long start, long time) {
        long end = start + windows.size();
        return end > time && end + lateWithin > of.clock.watermark();
    }

    /** Throws if the window refuses the packet. */
    private void check(FiredWindows to, long start, Packet packet) {
        int at = to.firstFrom(start);
        aggregation().check(isThere(to, at, start) ? to.open.get(at).group.accumulator() : aggregation().create(), packet);
    }

    private static boolean isThere(FiredWindows of, int at, long start) {
        return at < of.open.size() && of.open.get(at).first == start;
    }

    private FiredWindows.Span add(FiredWindows to, long start, Packet packet) {
        int at = to.firstFrom(start);
        if (!isThere(to, at, start)) {
            Accumulator created = aggregation().create();
            aggregation().update(created, packet);
            to.open.add(at, new FiredWindows.Span(new FiredGroup(created), start, start));
        } else if (context().failsOnBadRecord()) {
            aggregation().update(to.open.get(at).group.accumulator(), packet);
        } else {
            aggregation().updateWhole(to.open.get(at).group.accumulator(), packet);
        }
        to.open.get(at).group.change();
        return to.open.get(at);
    }
}
