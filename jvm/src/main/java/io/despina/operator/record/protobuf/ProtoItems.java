package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.NestedWriter;
import io.despina.packet.Type;

/** Reads the occurrences of a repeated field as an array. */
final class ProtoItems extends ProtoValue {
    private final ProtoField field;
    private final Type.Array type;
    private final ProtoValue value;
    /** The same, if it is a number; else null. */
    private final ProtoScalar number;
    private final Scalar scalar = new Scalar();

    ProtoItems(ProtoField field, Type.Array type, ProtoValue value) {
        this.field = field;
        this.type = type;
        this.value = value;
        number = field.type().canPack() ? (ProtoScalar) value : null;
    }

    @Override
    void build(ProtoIndex in, int first, boolean chain, NestedWriter out) {
        int array = out.beginArray(type.element(), type.containsNull(), count(in, first));
        int k = 0;
        for (int at = first; at != ProtoIndex.NONE; at = in.next(at)) {
            if (number == null) {
                item(in, at, out, array, k++);
                continue;
            }
            ByteCursor numbers = in.at(at);
            while (numbers.left() > 0) {
                int place = numbers.at();
                if (number.isValue(numbers)) {
                    numbers.moveTo(place);
                    number.decode(numbers, scalar);
                    put(out, array, k++);
                }
            }
        }
    }

    private int count(ProtoIndex in, int first) {
        long count = 0;
        for (int at = first; at != ProtoIndex.NONE; at = in.next(at)) {
            if (number == null) {
                count++;
                continue;
            }
            ByteCursor numbers = in.at(at);
            while (numbers.left() > 0) {
                count += number.isValue(numbers) ? 1 : 0;
            }
        }
        if (count > Integer.MAX_VALUE) {
            throw new BrokenRecord("a list of more than " + Integer.MAX_VALUE + " items in `" + field.name() + "`");
        }
        return (int) count;
    }

    private void item(ProtoIndex in, int at, NestedWriter out, int array, int k) {
        if (isNested(type.element())) {
            value.build(in, at, false, out);
            out.endElement(type.element(), type.containsNull(), array, k);
        } else {
            value.read(in, at, false, scalar);
            put(out, array, k);
        }
    }

    private void put(NestedWriter out, int array, int k) {
        boolean isVariable = type.element().width() == Type.VARIABLE;
        scalar.write(type.element(), out, isVariable ? 0 : out.elementSlot(type.element(), type.containsNull(), array, k));
        if (isVariable) {
            out.endElement(type.element(), type.containsNull(), array, k);
        }
    }
}
