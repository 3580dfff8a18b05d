package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.Scalar;
import io.despina.packet.NestedWriter;

/** How the fields of a message become columns: those of a row, or of a struct. */
final class ProtoMembers {
    private final ProtoShape shape;
    /** Per column: its slot, or -1 if the message has no such field. */
    private final int[] slots;
    private final ProtoValue[] values;
    /** Of the entry of a map: a value that is not there is an empty message, and not NULL. */
    private final boolean isEntry;

    ProtoMembers(ProtoShape shape, int[] slots, ProtoValue[] values, boolean isEntry) {
        this.shape = shape;
        this.slots = slots;
        this.values = values;
        this.isEntry = isEntry;
    }

    ProtoShape shape() {
        return shape;
    }

    /** Whether the message has a field for the column. */
    boolean has(int column) {
        return slots[column] != ProtoIndex.NONE;
    }

    /** Of a column that has one. */
    ProtoField field(int column) {
        return shape.field(slots[column]);
    }

    /** Of a column that has a field. */
    ProtoValue value(int column) {
        return values[column];
    }

    /** @return false for NULL */
    boolean read(int column, ProtoIndex in, int frame, Scalar to) {
        if (!has(column)) {
            return false;
        }
        int first = in.first(frame, slots[column]);
        if (first == ProtoIndex.NONE && !(isEntry && shape.isMessage(slots[column]))) {
            return values[column].absent(to);
        }
        values[column].read(in, first, true, to);
        return true;
    }

    /** @return false for NULL; then nothing is written */
    boolean build(int column, ProtoIndex in, int frame, NestedWriter out) {
        if (!has(column)) {
            return false;
        }
        int first = in.first(frame, slots[column]);
        if (first == ProtoIndex.NONE && !shape.isRepeated(slots[column]) && !isEntry) {
            return false;
        }
        values[column].build(in, first, true, out);
        return true;
    }
}
