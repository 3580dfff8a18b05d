package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.OrderedInput;
import io.despina.operator.order.TwoInOrder;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.LayoutAdapter;
import io.despina.state.ScratchPacket;
import io.despina.state.ValueFormat;

/**
 * As {@link ControlAggregate}, with a second input, whose packets open and close windows too and are in none. Packets of both are
 * taken in one event order, of equal times those of the second first. So a window that one opens at a time holds the packets of
 * that time, and one that ends there does not. One may do both. A key that has a NULL is of no group there. Ports: in, control;
 * out, late.
 *
 * <p>Conditions are over (in, control, {@link #WINDOW}). For a packet of one input the other is a packet of NULLs.
 */
public final class ControlledAggregate extends ControlAggregate {
    private static final int IN = 0;
    private static final int CONTROL = 1;

    /**
     * An input.
     *
     * @param order   of its packets
     * @param keys    of the groups, or of the groups that a packet is for; of the same types
     * @param borders for a packet of this input
     */
    public record Side(EventOrder order, Keys keys, Borders borders) {
    }

    private final Side packets;
    private final Side controls;
    private TwoInOrder inputs;
    private BorderConditions tests;
    private KeyReader keys;
    /** A key in the layout of the groups'. */
    private final ScratchPacket key;

    public ControlledAggregate(Side packets, Side controls, Compiled<Aggregation> compiled) {
        super(packets.order, packets.borders, packets.keys, compiled);
        this.packets = packets;
        this.controls = controls;
        key = new ScratchPacket(packets.keys.schema().layout());
    }

    @Override
    InOrder inOrder(OperatorContext opened, KeyReader ofGroups) {
        keys = new KeyReader(controls.keys, opened.instance());
        KeyReader ofWaiting = new KeyReader(controls.keys, opened.instance());
        inputs = new TwoInOrder(
                new OrderedInput(opened, IN, new OrderedInput.Waiting(packets.order, opened.input(IN), ""), ofGroups),
                new OrderedInput(opened, CONTROL, new OrderedInput.Waiting(controls.order, opened.input(CONTROL), "control_"),
                        ofWaiting));
        return inputs;
    }

    @Override
    BorderConditions tests(OperatorContext opened) {
        Packet[] none = {nulls(opened.input(IN)), nulls(opened.input(CONTROL))};
        tests = new BorderConditions(controls.borders, opened.instance(), CONTROL, none);
        return new BorderConditions(packets.borders, opened.instance(), IN, none);
    }

    private static Packet nulls(Schema schema) {
        return LayoutAdapter.nulls(schema.allNullable());
    }

    @Override
    ValueFormat<OpenWindow> format(Aggregation aggregation) {
        return new OpenWindow.Format(aggregation, true);
    }

    @Override
    public void process(int port, PacketCursor arriving) throws Exception {
        if (port == IN) {
            super.process(port, arriving);
        } else {
            inputs.acceptSecond(arriving);
            ordered().report();
        }
    }

    @Override
    void take(Packet packet, long time) throws Exception {
        if (!inputs.isOfSecond()) {
            super.take(packet, time);
            return;
        }
        Packet of = keyOf(packet);
        if (of == null) {
            return;
        }
        int entry = groups().find(of);
        OpenWindow window = entry == KeyedTable.NONE ? null : groups().get(entry);
        if (window != null && !tests.closes(packet, window.packets(), time - window.start())) {
            return;
        }
        boolean opens = tests.opens(packet);
        if (opens) {
            checkStart(time);
        }
        if (window != null) {
            end(entry, window, time);
        }
        if (opens) {
            keep(of, OpenWindow.empty(aggregation().create(), time));
        }
    }

    /** The key of the group that a packet is for, until the next call; null if it is for none. */
    private Packet keyOf(Packet packet) {
        Packet read = keys.of(packet);
        if (controls.keys.isNone()) {
            return read;
        }
        if (keys.hasNull()) {
            return null;
        }
        PacketWriter writer = key.begin();
        for (int k = 0; k < read.layout().columns(); k++) {
            writer.setColumn(k, read, k);
        }
        return key.commit();
    }

    /** A row that a packet of the second input lets out has a window that ends at its time, a microsecond before its own. */
    @Override
    public long outputWatermark(long watermark) {
        return watermark == Long.MAX_VALUE || watermark == Long.MIN_VALUE ? watermark : watermark - 1;
    }
}
