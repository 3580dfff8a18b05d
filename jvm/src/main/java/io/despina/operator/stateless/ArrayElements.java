package io.despina.operator.stateless;

import io.despina.expr.Projection;
import io.despina.packet.Bytes;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.ScratchPacket;

/** Elements of any array: it is evaluated once, into a packet of its own. */
final class ArrayElements implements Elements {
    private final Projection array;
    private final boolean containsNull;
    private final boolean variable;
    private final int width;
    private final ScratchPacket scratch;

    private byte[] bytes;
    private int start;
    private int count;
    /** The element to write next. */
    private int element;
    private int nulls;
    private int slots;
    private int from;
    private int end;

    /** @param schema of the array, its one column */
    ArrayElements(Projection array, Schema schema) {
        this.array = array;
        Type.Array type = (Type.Array) schema.column(0).type();
        containsNull = type.containsNull();
        variable = type.element().width() == Type.VARIABLE;
        width = variable ? Integer.BYTES : type.element().width();
        scratch = new ScratchPacket(schema.layout());
    }

    @Override
    public void begin(Packet[] inputs) {
        array.apply(inputs, scratch.begin());
        Packet evaluated = scratch.commit();
        if (!evaluated.isNull(0)) {
            find(evaluated);
        }
    }

    private void find(Packet evaluated) {
        bytes = evaluated.bytes();
        start = evaluated.valueStart(0);
        end = evaluated.valueEnd();
        int elements = end - start < Integer.BYTES ? -1 : Bytes.getInt(bytes, start);
        nulls = start + Integer.BYTES;
        slots = nulls + (containsNull ? (elements + 7) / 8 : 0);
        if (elements < 0 || elements > end - slots || (long) elements * width > end - slots) {
            throw new MalformedPacketException("array of " + elements + " elements in " + (end - start) + " bytes");
        }
        from = slots + elements * width;
        element = 0;
        count = elements;
    }

    @Override
    public boolean hasNext() {
        return element < count;
    }

    @Override
    public void next(PacketWriter out, int column) {
        boolean isNull = containsNull && (bytes[nulls + (element >> 3)] >> (element & 7) & 1) != 0;
        int slot = slots + element * width;
        if (!variable) {
            if (isNull) {
                out.setNull(column);
            } else {
                out.setFixed(column, bytes, slot);
            }
        } else {
            int to = start + Bytes.getInt(bytes, slot);
            if (to < from || to > end) {
                throw new MalformedPacketException("array element " + element + " ends at " + to + " of " + end);
            }
            if (isNull) {
                out.setNull(column);
            } else {
                out.setBytes(column, bytes, from, to - from);
            }
            from = to;
        }
        element++;
    }
}
