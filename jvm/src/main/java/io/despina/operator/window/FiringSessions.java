package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.operator.order.WallTime;
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
    private KeyedTable<FiredWindows> groups;
    /** Groups by the first instant at which one of their sessions may give a row. */
    private final EntryHeap due = new EntryHeap();
    private FiredSessions adding;
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
        adding = new FiredSessions(aggregation(), gap, context().failsOnBadRecord());
        group = new Packet(keys.schema().layout());
        groups = new KeyedTable<>("sessions", keys.schema(), keys.buckets(), new FiredWindows.Format(aggregation()));
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
        int at = entry == KeyedTable.NONE ? 0 : adding.indexOf(groups.get(entry), time);
        boolean touches = entry != KeyedTable.NONE && adding.touches(groups.get(entry), at, time);
        if (!touches && isOver(time + gap)) {
            late().write(packet);
            return;
        }
        FiredWindows sessions = entry == KeyedTable.NONE ? new FiredWindows() : groups.edit(entry);
        FiredWindows.Span taker = adding.add(sessions, at, packet, time);
        entry = entry == KeyedTable.NONE ? groups.add(of, sessions) : entry;
        if (fired.onChange() || adding.end(taker) <= watermark()) {
            emit(entry, taker, false);
        }
        groups.recount(entry);
        queue(entry, sessions);
    }

    /** Queues a group for its sessions' next row, unless it is queued for one before. */
    private void queue(int entry, FiredWindows sessions) {
        long first = Long.MAX_VALUE;
        for (FiredWindows.Span session : sessions.open) {
            first = Math.min(first, session.group.hasChanged() ? adding.end(session)
                    : EventOrder.plus(adding.end(session), fired.lateWithin()));
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
            FiredWindows sessions = groups.get(entry);
            if (sessions != null && sessions.due == due.firstTime()) {
                if (!leaveEnded(entry)) {
                    return false;
                }
                sessions.due = Long.MAX_VALUE;
                if (!sessions.open.isEmpty()) {
                    queue(entry, sessions);
                }
            }
            due.removeFirst();
        }
        return true;
    }

    private boolean leaveEnded(int entry) throws Exception {
        FiredWindows sessions = groups.edit(entry);
        int k = 0;
        while (k < sessions.open.size()) {
            FiredWindows.Span session = sessions.open.get(k);
            boolean last = isOver(adding.end(session));
            if (last || session.group.hasChanged() && adding.end(session) <= watermark()) {
                if (!context().hasRoom()) {
                    groups.recount(entry);
                    return false;
                }
                emit(entry, session, last);
            }
            if (last) {
                sessions.open.remove(k);
            } else {
                k++;
            }
        }
        if (sessions.open.isEmpty()) {
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
            for (FiredWindows.Span session : of(passed)) {
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

    @Override
    boolean leaveOpen(OpenFiring open) throws Exception {
        boolean all = open.leave(context(), new OpenFiring.OpenGroups() {
            @Override
            public int limit() {
                return groups.limit();
            }

            @Override
            public int windows(int entry) {
                return of(entry).size();
            }

            @Override
            public void row(int entry, int k) throws Exception {
                FiredWindows.Span session = of(entry).get(k);
                if (open.closes() || session.group.hasChanged()) {
                    groups.edit(entry);
                    emit(entry, session, open.closes());
                }
            }

            @Override
            public void close(int entry) {
                groups.remove(entry);
            }
        });
        state().report();
        return all;
    }

    private List<FiredWindows.Span> of(int entry) {
        FiredWindows sessions = groups.get(entry);
        return sessions == null ? List.of() : sessions.open;
    }

    private void emit(int entry, FiredWindows.Span session, boolean last) throws Exception {
        groups.key(entry, group);
        emit(group, session.group, session.first, adding.end(session), last);
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
