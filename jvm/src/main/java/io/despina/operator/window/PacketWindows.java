package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.WindowFacts;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.InOrderInputs;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.spec.ControlCommand;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import io.despina.state.ValueFormat;
import java.util.concurrent.CompletableFuture;

/**
 * Aggregates over windows whose borders are set by the packets of their group. Packets are taken in event order, when the
 * watermark passes them; a packet that comes later is late. Or they are taken as they come, by the wall clock, and none is late.
 * Ports: in; out, late.
 *
 * @param <W> what is kept of a group
 */
abstract class PacketWindows<W> implements OrderedOperator, Commanded {
    /** A group's memory is measured once in so many updates, as long as no group is known to grow. */
    private static final int SAMPLE = 64;

    /**
     * What is aggregated.
     *
     * @param order of the input's packets; null: by the wall clock
     * @param keys  of the groups
     */
    record Aggregated(EventOrder order, Keys keys, Compiled<Aggregation> compiled) {
    }

    private final Aggregated of;
    private final WindowFacts window = new WindowFacts();

    private OperatorContext context;
    private Output out;
    private Ordered ordered;
    private KeyReader key;
    private Aggregation aggregation;
    private KeyedTable<W> groups;
    private Packet group;
    private boolean growing;
    private int sinceSample;
    /** Null unless a user has asked for the rows that open windows have so far. */
    private OpenFiring asked;

    PacketWindows(Aggregated of) {
        this.of = of;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        key = new KeyReader(of.keys, opened.instance());
        aggregation = of.compiled.instance(opened.instance());
        group = new Packet(of.keys.schema().layout());
        groups = new KeyedTable<>("groups", of.keys.schema(), of.keys.dealing(), format(aggregation));
        OperatorState state = new OperatorState(opened).counting(this::moreBytes);
        ordered = of.order == null ? new Ordered(opened, state, this) : new Ordered(opened, inOrder(opened, key), state, this);
        state.with(stored(groups));
    }

    /** What delivers the packets that have an event time. @param ofGroups reads the keys of port {@code in} */
    InOrder inOrder(OperatorContext opened, KeyReader ofGroups) {
        return InOrderInputs.open(opened, of.order, of.keys, ofGroups, this);
    }

    /** How a group is stored. */
    abstract ValueFormat<W> format(Aggregation aggregation);

    /** What snapshots have of the groups. */
    State stored(KeyedTable<W> all) {
        return all;
    }

    /** Memory beside the groups. */
    long moreBytes() {
        return 0;
    }

    /**
     * Takes the next packet; there is room for a row.
     *
     * @throws RuntimeException if it is a bad packet, or its row cannot be made
     */
    abstract void take(Packet packet, long time) throws Exception;

    /**
     * Writes rows that must leave before the next packet is taken.
     *
     * @return false if there is no room for them
     */
    boolean leaveBefore(Packet packet, long time) throws Exception {
        return true;
    }

    /** The open windows of its groups, for a user who asks for their rows; null if the type does not know that command. */
    OpenFiring.OpenGroups open() {
        return null;
    }

    @Override
    public final CompletableFuture<String> command(ControlCommand command, String argument) {
        asked = OpenFiring.after(command, argument, asked, context);
        return CompletableFuture.completedFuture("");
    }

    @Override
    public final boolean timer(long micros) throws Exception {
        if (asked != null && !asked.leave(context, open())) {
            return false;
        }
        asked = null;
        return OrderedOperator.super.timer(micros);
    }

    @Override
    public final Ordered ordered() {
        return ordered;
    }

    @Override
    public final void takeAsTheyCome(PacketCursor packets, long now) throws Exception {
        Packet packet;
        while (context.hasRoom() && (packet = packets.next()) != null) {
            tryTake(packet, now);
        }
    }

    @Override
    public final boolean takeReady(InOrder input) throws Exception {
        boolean done = true;
        while (done && input.isReady()) {
            long time = input.headTime();
            done = giveDue(time) && leaveBefore(input.head(), time) && context.hasRoom();
            if (done) {
                tryTake(input.head(), time);
                input.dropHead();
            }
        }
        return done && giveDue(input.watermark());
    }

    private void tryTake(Packet packet, long time) throws Exception {
        try {
            take(packet, time);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    final KeyedTable<W> groups() {
        return groups;
    }

    final Schema keySchema() {
        return of.keys.schema();
    }

    final Aggregation aggregation() {
        return aggregation;
    }

    final boolean hasRoom() {
        return context.hasRoom();
    }

    /** Whether the job continues after a bad packet, which then must be in no window. */
    final boolean goesOn() {
        return !context.failsOnBadRecord();
    }

    /** The key of a packet, until the next call. */
    final Packet key(Packet packet) {
        return key.of(packet);
    }

    /** Adds a packet to a window, or throws and changes nothing. */
    final void update(Accumulator accumulator, Packet packet) {
        if (goesOn()) {
            aggregation.updateWhole(accumulator, packet);
        } else {
            aggregation.update(accumulator, packet);
        }
    }

    /** An accumulator of a group has been updated. */
    final void recount(int entry) {
        if (growing || ++sinceSample == SAMPLE) {
            sinceSample = 0;
            growing |= groups.recount(entry);
        }
    }

    /** Writes the row of a window of an entry's group. */
    final void emit(int entry, Accumulator accumulator, long start, long end) throws Exception {
        groups.key(entry, group);
        emit(group, accumulator, start, end);
    }

    /** Writes a window's row. */
    final void emit(Packet ofGroup, Accumulator accumulator, long start, long end) throws Exception {
        window.last = true;
        emit(ofGroup, accumulator, window.set(start, end));
    }

    /** The same, with more to say of the window. */
    final void emit(Packet ofGroup, Accumulator accumulator, WindowFacts of) throws Exception {
        try {
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(accumulator, key.forRow(ofGroup), null, of, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("window [" + of.start + ", " + of.end + "]: " + Reason.of(bad), "");
        }
    }

    /** The number of the clock whose packets are taken; 0 if all share one. */
    final int clock() {
        return ordered.clock();
    }

    /** The number of the clock by which an entry's group goes; 0 if all share one. */
    final int clockOf(int entry) {
        groups.key(entry, group);
        return ordered.clockOf(group);
    }

    final boolean hasRoomForLate() {
        return ordered.input().hasRoomForLate();
    }

    /** Writes the packet to the port for late ones. */
    final void late(Packet packet) {
        ordered.input().late(packet);
    }

    /** Writes a packet's row; the list names no window. */
    final void emit(Packet ofGroup, Packet current, Accumulator accumulator) throws Exception {
        PacketWriter row = out.writer().begin();
        aggregation.evaluate(accumulator, key.forRow(ofGroup), current, null, row);
        row.commit();
    }
}
