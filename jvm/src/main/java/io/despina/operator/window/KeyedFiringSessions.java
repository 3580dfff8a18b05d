package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.spec.Window;

/**
 * Sessions that fire more than once, by the clocks of keys; packets are taken as by {@link FiringSessions}. Ports: in; out, late.
 */
public final class KeyedFiringSessions extends KeyedFiring {
    private final long gap;
    private FiredSessions adding;

    /**
     * @param timeColumn ordinal of the input's event time
     * @param keys       of the groups, with clocks
     */
    public KeyedFiringSessions(int timeColumn, Window.FiredSession fired, Keys keys, Compiled<Aggregation> compiled) {
        super(new Firing.Inputs(timeColumn, keys, compiled),
                new Times(fired.gap(), fired.every(), fired.onChange(), fired.lateWithin()));
        gap = fired.gap();
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        adding = new FiredSessions(aggregation(), gap, opened.failsOnBadRecord());
    }

    @Override
    long lastEnd(FiredWindows of, long time) {
        int at = of == null ? 0 : adding.indexOf(of, time);
        return of != null && adding.touches(of, at, time) ? adding.end(of.open.get(at)) : time + gap;
    }

    @Override
    void add(FiredWindows to, Packet packet, long time) {
        adding.add(to, adding.indexOf(to, time), packet, time);
    }
}
