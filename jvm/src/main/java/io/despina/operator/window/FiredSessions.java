package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.packet.Packet;

/** How packets are added to sessions that fire more than once. The sessions of a group do not touch each other. */
final class FiredSessions {
    private final Aggregation aggregation;
    private final long gap;
    /** Whether a bad record ends the job, so that nothing need be undone. */
    private final boolean fails;

    FiredSessions(Aggregation aggregation, long gap, boolean fails) {
        this.aggregation = aggregation;
        this.gap = gap;
        this.fails = fails;
    }

    /** The index of a group's first session that a packet touches, or that begins after it. */
    int indexOf(FiredWindows of, long time) {
        int k = 0;
        while (k < of.open.size() && end(of.open.get(k)) <= time) {
            k++;
        }
        return k;
    }

    /** Whether the session of that index is there, and a packet touches it. */
    boolean touches(FiredWindows of, int k, long time) {
        return k < of.open.size() && end(of.open.get(k)) > time && of.open.get(k).first < time + gap;
    }

    long end(FiredWindows.Span session) {
        return session.last + gap;
    }

    /**
     * Adds a packet to the session of that index if it touches it, and joins this with the next one if it touches both; else to
     * a session of its own, which begins there. If it is refused, all stay as they were.
     *
     * @param at as of {@link #indexOf}
     * @return the session, which has changed
     */
    FiredWindows.Span add(FiredWindows to, int at, Packet packet, long time) {
        if (!touches(to, at, time)) {
            Accumulator created = aggregation.create();
            aggregation.update(created, packet);
            to.open.add(at, new FiredWindows.Span(new FiredGroup(created), time, time));
        } else if (touches(to, at + 1, time)) {
            join(to, at, packet);
        } else {
            extend(to.open.get(at), packet, time);
        }
        FiredWindows.Span taker = to.open.get(at);
        taker.group.change();
        taker.packets++;
        return taker;
    }

    private void extend(FiredWindows.Span session, Packet packet, long time) {
        if (fails) {
            aggregation.update(session.group.accumulator(), packet);
        } else {
            aggregation.updateWhole(session.group.accumulator(), packet);
        }
        session.reaches(time);
    }

    /** In a new accumulator: if one does not fit into it, both sessions stay as they were. */
    private void join(FiredWindows to, int at, Packet packet) {
        FiredWindows.Span session = to.open.get(at);
        FiredWindows.Span next = to.open.get(at + 1);
        Accumulator both = aggregation.create();
        aggregation.merge(both, session.group.accumulator());
        aggregation.merge(both, next.group.accumulator());
        aggregation.update(both, packet);
        FiredWindows.Span joined = new FiredWindows.Span(session.group.joined(next.group, both), session.first, next.last);
        joined.packets = session.packets + next.packets;
        to.open.set(at, joined);
        to.open.remove(at + 1);
    }
}
