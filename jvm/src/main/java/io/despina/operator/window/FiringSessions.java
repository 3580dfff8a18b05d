package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Keys;
import io.despina.operator.OperatorContext;
import io.despina.operator.WallTime;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Window;
import io.despina.state.EntryHeap;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import java.util.List;

/**
 * Aggregates over sessions that fire more than once. Packets are taken as they come: one that lies between two sessions of its
 * group, closer than the gap to both, makes them one. A session is [first, last + gap). A packet is late if it touches no
 * session, and one of its own would have given its last row. Ports: in; out, late.
 */
public final class FiringSessions extends Firing {
    private final long gap;
    private final Window.FiredSession fired;
    private KeyedTable<FiredSessions> groups;
    /** Groups by the first instant at which one of their sessions may give a row. */
    private final EntryHeap due = new EntryHeap();
    private Packet group;
    /** Groups before this have given the rows that leave now and then. */
    private int passed;

    /**
     * @param timeColumn ordinal of the input's event time, or {@link WallTime#COLUMN}
     * @param keys       of the groups
     */
    public FiringSessions(int timeColumn, Window.FiredSession fired, Keys keys, Compiled<Aggregation> compiled) {
        super(new Inputs(timeColumn, keys, compiled), fired.every(), fired.lateWithin());
        this.fired = fired;
        gap = fired.gap();
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        state().counting(due::bytes);
    }

    @Override
    State groups(Keys keys) {
        group = new Packet(keys.schema().layout());
        groups = new KeyedTable<>("sessions", keys.schema(), keys.buckets(), new FiredSessions.Format(aggregation()));
        return groups;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        boolean ready = wall() == null || advance(wall().now());
        Packet packet;
        while (ready && context().hasRoom() && late().hasRoom() && (packet = packets.next()) != null) {
            if (wall() != null) {
                tryTake(packet, watermark());
            } else if (!packet.isNull(timeColumn())) {
                tryTake(packet, packet.getLong(timeColumn()));
            }
        }
        if (wall() != null) {
            wakeAtFiring();
        }
        state().report();
    }

    private void tryTake(Packet packet, long time) throws Exception {
        try {
            if (time > Long.MAX_VALUE - gap) {
                throw SessionAggregate.endsNever(time);
            }
            take(key(packet), packet, time);
        } catch (RuntimeException bad) {
            context().badRecord(bad, packet);
        }
    }

    private void take(Packet of, Packet packet, long time) throws Exception {
        int entry = groups.find(of);
        int at = entry == KeyedTable.NONE ? 0 : groups.get(entry).indexOf(time, gap);
        if (entry != KeyedTable.NONE && groups.get(entry).touches(at, time, gap)) {
            extend(groups.edit(entry), at, packet, time);
        } else if (isOver(time + gap)) {
            late().write(packet);
            return;
        } else {
            FiredSessions.Session begun = begun(packet, time);
            entry = entry == KeyedTable.NONE ? groups.add(of, new FiredSessions()) : entry;
            groups.edit(entry).sessions.add(at, begun);
        }
        FiredSessions sessions = groups.get(entry);
        FiredSessions.Session taker = sessions.sessions.get(at);
        taker.group.change();
        if (fired.onChange() || end(taker) <= watermark()) {
            emit(entry, taker, false);
        }
        groups.recount(entry);
        queue(entry, sessions);
    }

    private FiredSessions.Session begun(Packet packet, long time) {
        Accumulator created = aggregation().create();
        aggregation().update(created, packet);
        return new FiredSessions.Session(new FiredGroup(created), time, time);
    }

    /** Adds a packet to a session that it touches, and joins this with the next one if it touches both. */
    private void extend(FiredSessions sessions, int at, Packet packet, long time) {
        FiredSessions.Session session = sessions.sessions.get(at);
        if (!sessions.touches(at + 1, time, gap)) {
            if (context().failsOnBadRecord()) {
                aggregation().update(session.group.accumulator(), packet);
            } else {
                aggregation().updateWhole(session.group.accumulator(), packet);
            }
            session.reaches(time);
            return;
        }
        // a new accumulator: if one does not fit into it, both sessions stay as they were
        FiredSessions.Session next = sessions.sessions.get(at + 1);
        Accumulator both = aggregation().create();
        aggregation().merge(both, session.group.accumulator());
        aggregation().merge(both, next.group.accumulator());
        aggregation().update(both, packet);
        sessions.sessions.set(at, new FiredSessions.Session(session.group.joined(next.group, both), session.first, next.last));
        sessions.sessions.remove(at + 1);
    }

    private long end(FiredSessions.Session session) {
        return session.last + gap;
    }

    /** Queues a group for its sessions' next row, unless it is queued for one before. */
    private void queue(int entry, FiredSessions sessions) {
        long first = Long.MAX_VALUE;
        for (FiredSessions.Session session : sessions.sessions) {
            first = Math.min(first, session.group.hasChanged() ? end(session)
                    : EventOrder.plus(end(session), fired.lateWithin()));
        }
        if (first < sessions.due) {
            sessions.due = first;
            due.add(first, entry);
        }
    }

    @Override
    boolean leaveDue() throws Exception {
        return leaveEnded() && leaveChanged();
    }

    @Override
    void left() {
        passed = 0;
    }

    @Override
    long firstEnd() {
        return due.isEmpty() ? Long.MAX_VALUE : due.firstTime();
    }

    /** The rows of sessions whose ends the watermark has reached, the last ones too; false if the output is full. */
    private boolean leaveEnded() throws Exception {
        while (!due.isEmpty() && due.firstTime() <= watermark()) {
            int entry = due.firstEntry();
            FiredSessions sessions = groups.get(entry);
            if (sessions != null && sessions.due == due.firstTime()) {
                if (!leaveEnded(entry)) {
                    return false;
                }
                sessions.due = Long.MAX_VALUE;
                if (!sessions.sessions.isEmpty()) {
                    queue(entry, sessions);
                }
            }
            due.removeFirst();
        }
        return true;
    }

    private boolean leaveEnded(int entry) throws Exception {
        FiredSessions sessions = groups.edit(entry);
        int k = 0;
        while (k < sessions.sessions.size()) {
            FiredSessions.Session session = sessions.sessions.get(k);
            boolean last = isOver(end(session));
            if (last || session.group.hasChanged() && end(session) <= watermark()) {
                if (!context().hasRoom()) {
                    groups.recount(entry);
                    return false;
                }
                emit(entry, session, last);
            }
            if (last) {
                sessions.sessions.remove(k);
            } else {
                k++;
            }
        }
        if (sessions.sessions.isEmpty()) {
            groups.remove(entry);
        } else {
            groups.recount(entry);
        }
        return true;
    }

    /** The rows of all groups that have changed, where they leave now and then; false if the output is full. */
    private boolean leaveChanged() throws Exception {
        if (!firesNow()) {
            return true;
        }
        for (; passed < groups.limit(); passed++) {
            for (FiredSessions.Session session : of(passed)) {
                if (session.group.hasChanged()) {
                    if (!context().hasRoom()) {
                        return false;
                    }
                    groups.edit(passed);
                    emit(passed, session, false);
                }
            }
        }
        return true;
    }

    private List<FiredSessions.Session> of(int entry) {
        FiredSessions sessions = groups.get(entry);
        return sessions == null ? List.of() : sessions.sessions;
    }

    private void emit(int entry, FiredSessions.Session session, boolean last) throws Exception {
        groups.key(entry, group);
        emit(group, session.group, session.first, end(session), last);
    }

    @Override
    public void restored() {
        due.clear();
        for (int entry = 0; entry < groups.limit(); entry++) {
            if (groups.get(entry) != null) {
                queue(entry, groups.get(entry));
            }
        }
        super.restored();
    }
}
