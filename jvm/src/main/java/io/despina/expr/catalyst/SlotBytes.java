package io.despina.expr.catalyst;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

/** An accumulator as bytes: primitive slots, then the declarative buffers' objects as one row, then part by part. */
final class SlotBytes {
    private final SpecialPart[] special;
    private final List<BufferSlot> primitives;
    private final List<BufferSlot> objects;
    /** Null if there are none. */
    private final RowBytes rows;

    SlotBytes(AggregateProgram program, SpecialPart[] special) {
        this.special = special;
        primitives = program.slots(true);
        objects = program.slots(false);
        rows = objects.isEmpty() ? null : new RowBytes(objects.stream().map(BufferSlot::dataType).toList());
    }

    void write(Slots slots, DataOutput out) throws IOException {
        for (BufferSlot slot : primitives) {
            out.writeBoolean(slot.isNull(slots));
            out.writeLong(slot.bits(slots));
        }
        if (rows != null) {
            rows.write(objects.stream().map(s -> slots.objects[s.slot]).toArray(), out);
        }
        for (SpecialPart part : special) {
            part.write(slots, out);
        }
    }

    void read(Slots slots, DataInput in) throws IOException {
        for (BufferSlot slot : primitives) {
            boolean isNull = in.readBoolean();
            slot.put(slots, isNull, in.readLong());
        }
        if (rows != null) {
            Object[] values = rows.read(in);
            for (int k = 0; k < values.length; k++) {
                slots.objects[objects.get(k).slot] = values[k];
            }
        }
        for (SpecialPart part : special) {
            part.read(slots, in);
        }
    }
}
