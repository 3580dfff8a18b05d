package io.despina.operator.stateless;

import io.despina.expr.Projection;
import io.despina.packet.Packet;
import io.despina.packet.PacketArray;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.ScratchPacket;

/** The elements of any array. The array is evaluated once, into a packet of its own. */
final class ArrayElements implements Elements {
    private final Projection projection;
    private final ScratchPacket scratch;
    private final PacketArray array;
    private final boolean variable;

    private int count;
    /** The element to write next. */
    private int element;

    /** @param schema of the array, its one column */
    ArrayElements(Projection projection, Schema schema) {
        this.projection = projection;
        scratch = new ScratchPacket(schema.layout());
        Type.Array type = (Type.Array) schema.column(0).type();
        array = new PacketArray(type.element(), type.containsNull());
        variable = type.element().width() == Type.VARIABLE;
    }

    @Override
    public void begin(Packet[] inputs) {
        projection.apply(inputs, scratch.begin());
        Packet evaluated = scratch.commit();
        if (!evaluated.isNull(0)) {
            int from = evaluated.valueStart(0);
            count = array.wrap(evaluated.bytes(), from, evaluated.valueEnd()).count();
            element = 0;
        }
    }

    @Override
    public boolean hasNext() {
        return element < count;
    }

    @Override
    public void next(PacketWriter out, int column) {
        if (array.isNull(element)) {
            out.setNull(column);
        } else if (variable) {
            int from = array.valueStart(element);
            out.setBytes(column, array.bytes(), from, array.valueEnd() - from);
        } else {
            out.setFixed(column, array.bytes(), array.fixedStart(element));
        }
        element++;
    }
}
