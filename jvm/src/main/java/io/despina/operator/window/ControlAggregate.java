package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.ValueFormat;

/**
 * Aggregates over windows that conditions on the packets of a group open and close. Both packets are in the window, whose end is
 * just after the second; what comes between two windows is in none. A window that has lasted for the longest time ends there. The
 * end of the stream ends all that are open, in the order in which they began: at their longest time, or just after their last
 * packets if there is none.
 */
public class ControlAggregate extends PacketWindows<OpenWindow> {
    /** What a condition that closes a window may ask of it, with the packet that is tried. */
    public static final Schema WINDOW = Schema.of(new Column("count", Type.Simple.BIGINT, false),
            new Column("age_ms", Type.Simple.BIGINT, false));

    /**
     * What opens and closes a window: conditions over the packet that is tried.
     *
     * @param close over {@link #WINDOW} too, if it asks
     * @param asks  whether {@code close} asks something of the window
     * @param most  microseconds that a window may last, this end not included; {@code NEVER}
     */
    public record Borders(Compiled<Predicate> open, Compiled<Predicate> close, boolean asks, long most) {
    }

    private final Borders borders;
    /** By clock, groups with a window, by its start. */
    private final EntryQueues open = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(open, clock -> close(clock, Long.MAX_VALUE));
    private BorderConditions tests;

    /**
     * @param order of the input's packets
     * @param keys  of the groups
     */
    public ControlAggregate(EventOrder order, Borders borders, Keys keys, Compiled<Aggregation> compiled) {
        super(new Aggregated(order, keys, compiled));
        this.borders = borders;
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        tests = tests(opened);
    }

    /** Tries the packets of port {@code in}. */
    BorderConditions tests(OperatorContext opened) {
        return new BorderConditions(borders, opened.instance(), 0, new Packet[1]);
    }

    @Override
    ValueFormat<OpenWindow> format(Aggregation aggregation) {
        return new OpenWindow.Format(aggregation, borders.asks);
    }

    @Override
    long moreBytes() {
        return open.bytes();
    }

    @Override
    void take(Packet packet, long time) throws Exception {
        Packet of = key(packet);
        int entry = groups().find(of);
        if (entry == KeyedTable.NONE) {
            if (tests.opens(packet)) {
                begin(of, packet, time);
            }
            return;
        }
        boolean last = tests.closes(packet, groups().get(entry).packets() + 1, time - groups().get(entry).start());
        OpenWindow window = groups().edit(entry);
        update(window.accumulator(), packet);
        window.reaches(time);
        if (last) {
            end(entry, window, EventOrder.plus(time, 1));
        } else {
            recount(entry);
        }
    }

    private void begin(Packet of, Packet packet, long time) throws Exception {
        checkStart(time);
        boolean last = tests.closes(packet, 1, 0);
        Accumulator created = aggregation().create();
        aggregation().update(created, packet);
        if (last) {
            emit(of, created, time, EventOrder.plus(time, 1));
        } else {
            keep(of, new OpenWindow(created, time));
        }
    }

    /** Throws if a window that begins then would end behind all times. */
    final void checkStart(long time) {
        if (borders.most != NEVER && time > Long.MAX_VALUE - borders.most) {
            throw new ArithmeticException("a window that begins at its event time, " + time + " microseconds since 1970, ends "
                    + "after what a TIMESTAMP holds");
        }
    }

    /** A group, which has none, has that window. It begins after all that are open. */
    final void keep(Packet of, OpenWindow window) {
        open.add(clock(), groups().add(of, window));
    }

    /** Ends the window of an entry. */
    final void end(int entry, OpenWindow window, long end) throws Exception {
        emit(entry, window.accumulator(), window.start(), end);
        open.remove(entry);
        groups().remove(entry);
    }

    @Override
    public long reach() {
        return borders.most == NEVER ? 1 : borders.most;
    }

    @Override
    public boolean giveDue(long time) throws Exception {
        return time == Long.MAX_VALUE ? atEnd.give() : close(clock(), time);
    }

    /** Ends the windows of a clock whose time is over; at the end of the stream all of them. */
    private boolean close(int clock, long time) throws Exception {
        for (int entry = open.first(clock); entry != EntryQueues.NONE; entry = open.first(clock)) {
            OpenWindow window = groups().get(entry);
            // Unsigned: the difference may be more than a long holds.
            boolean over = borders.most != NEVER && time >= window.start()
                    && Long.compareUnsigned(time - window.start(), borders.most) >= 0;
            if (!over && time != Long.MAX_VALUE) {
                return true;
            }
            if (!hasRoom()) {
                return false;
            }
            end(entry, window, borders.most == NEVER ? EventOrder.plus(window.last(), 1) : window.start() + borders.most);
        }
        return true;
    }

    @Override
    OpenFiring.OpenGroups open() {
        return new OpenWindow.OfGroups(groups()) {
            @Override
            public void row(int entry, int k) throws Exception {
                OpenWindow window = groups().get(entry);
                emit(entry, window.accumulator(), window.start(), EventOrder.plus(window.last(), 1));
            }

            @Override
            public void close(int entry) {
                open.remove(entry);
                groups().remove(entry);
            }
        };
    }

    @Override
    public void restoreQueues() {
        atEnd.restored();
        open.restore(groups().limit(), entry -> groups().get(entry) != null, entry -> groups().get(entry).start(),
                this::clockOf);
    }
}
