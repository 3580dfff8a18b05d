package io.despina.expr.catalyst.aggregate;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.WindowFacts;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.InputRow;
import io.despina.expr.catalyst.codegen.Slots;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Aggregates of one select list: plain ones in generated code, others part by part. */
public final class CatalystAggregation implements Aggregation, Aggregation.FlatAccumulators {
    private final Generated.Update updates;
    private final Generated.Update merges;
    private final Generated.Result results;
    /** Those that can be undone come first. */
    private final SpecialPart[] special;
    private final int unchecked;
    private final boolean mayOverflow;
    private final SlotBytes bytes;
    private final InputRow row;
    private final Packet[] input = new Packet[1];
    private final Packet[] currentAndKey = new Packet[2];
    /** The initial slots. */
    private final Slots initial;
    /** The slots before the current packet. */
    private final Slots before;

    public CatalystAggregation(AggregateCode code, int partition) {
        updates = code.functions().updates();
        merges = code.functions().merges();
        results = code.functions().results();
        special = code.special();
        unchecked = code.unchecked();
        mayOverflow = code.mayOverflow();
        row = new InputRow(code.columns());
        initial = code.initial();
        before = Slots.like(initial);
        bytes = new SlotBytes(code.layout(), special);
        code.functions().initialize(partition);
        for (SpecialPart part : special) {
            part.initialize(partition);
        }
    }

    @Override
    public Accumulator create() {
        Slots slots = Slots.like(initial);
        for (SpecialPart part : special) {
            part.create(slots);
        }
        return slots;
    }

    @Override
    public void update(Accumulator accumulator, Packet packet) {
        point(accumulator, packet);
        updates.run(row);
        for (SpecialPart part : special) {
            part.take(row);
            part.update(row);
        }
    }

    /**
     * If something throws, undoes the changes of slots and of the values seen by DISTINCT. A function's own buffer cannot be
     * undone; it is changed last, when nothing can throw any more.
     */
    @Override
    public void updateWhole(Accumulator accumulator, Packet packet) {
        take(accumulator, packet, unchecked);
        try {
            updates.run(row);
            for (SpecialPart part : special) {
                part.update(row);
            }
        } catch (RuntimeException bad) {
            putBack();
            throw bad;
        }
    }

    @Override
    public void check(Accumulator accumulator, Packet packet) {
        int withoutBuffers = unchecked - 1;
        take(accumulator, packet, withoutBuffers);
        try {
            updates.run(row);
            for (int k = 0; k < withoutBuffers; k++) {
                special[k].update(row);
            }
        } finally {
            putBack();
        }
    }

    /** @param checked the first part whose buffer cannot be undone; its exceptions are thrown now */
    private void take(Accumulator accumulator, Packet packet, int checked) {
        point(accumulator, packet);
        for (SpecialPart part : special) {
            part.take(row);
        }
        for (int k = checked; k < special.length; k++) {
            special[k].check(row);
        }
        before.copy(row.slots, initial.bytes.length);
    }

    private void putBack() {
        row.slots.copy(before, initial.bytes.length);
        for (SpecialPart part : special) {
            part.forget(row);
        }
    }

    @Override
    public boolean mayOverflow() {
        return mayOverflow;
    }

    private void point(Accumulator accumulator, Packet packet) {
        input[0] = packet;
        row.packets = input;
        row.slots = (Slots) accumulator;
    }

    @Override
    public void merge(Accumulator into, Accumulator from) {
        row.packets = input;
        row.slots = (Slots) into;
        row.other = (Slots) from;
        merges.run(row);
        for (SpecialPart part : special) {
            part.merge(row);
        }
        row.other = null;
    }

    @Override
    public void evaluate(Accumulator accumulator, Packet key, Packet current, WindowFacts window, PacketWriter out) {
        currentAndKey[0] = current;
        currentAndKey[1] = key;
        row.packets = currentAndKey;
        row.slots = (Slots) accumulator;
        row.window = window;
        for (SpecialPart part : special) {
            part.evaluate(row);
        }
        results.run(row, out);
    }

    @Override
    public FlatAccumulators flat() {
        return initial.objects.length == 0 ? this : null;
    }

    @Override
    public int width() {
        return initial.bytes.length;
    }

    @Override
    public Accumulator view() {
        return new Slots(null, initial.objects);
    }

    @Override
    public void move(Accumulator view, byte[] there, int at) {
        Slots slots = (Slots) view;
        slots.bytes = there;
        slots.at = at;
    }

    @Override
    public void put(Accumulator accumulator, byte[] there, int at) {
        Slots slots = (Slots) accumulator;
        System.arraycopy(slots.bytes, slots.at, there, at, initial.bytes.length);
    }

    @Override
    public String schema() {
        return bytes.schema();
    }

    @Override
    public void write(Accumulator accumulator, DataOutput out) throws IOException {
        bytes.write((Slots) accumulator, out);
    }

    @Override
    public Accumulator read(DataInput in) throws IOException {
        Accumulator accumulator = create();
        read(accumulator, in);
        return accumulator;
    }

    @Override
    public void read(Accumulator over, DataInput in) throws IOException {
        bytes.read((Slots) over, in);
    }
}
