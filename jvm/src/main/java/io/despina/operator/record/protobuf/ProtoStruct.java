package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.NestedWriter;
import io.despina.packet.PacketLayout;
import io.despina.packet.Type;

/** Reads a message within a message as a struct. */
final class ProtoStruct extends ProtoValue {
    private final Type.Struct type;
    private final PacketLayout layout;
    private final ProtoMembers members;
    private final Scalar scalar = new Scalar();

    ProtoStruct(Type.Struct type, ProtoMembers members) {
        this.type = type;
        layout = PacketLayout.of(type);
        this.members = members;
    }

    @Override
    void build(ProtoIndex in, int at, boolean chain, NestedWriter out) {
        int frame = in.enter(members.shape(), at, chain);
        int struct = out.beginStruct(layout);
        for (int k = 0; k < type.fields().size(); k++) {
            Type of = type.fields().get(k).type();
            boolean nested = isNested(of);
            if (!(nested ? members.build(k, in, frame, out) : members.read(k, in, frame, scalar))) {
                if (!type.fields().get(k).nullable()) {
                    throw new BrokenRecord("NULL in `" + type.fields().get(k).name() + "`, which is NOT NULL");
                }
                out.setFieldNull(layout, struct, k);
                continue;
            }
            boolean isVariable = of.width() == Type.VARIABLE;
            if (!nested) {
                scalar.write(of, out, isVariable ? 0 : out.fieldSlot(layout, struct, k));
            }
            if (isVariable) {
                out.endField(layout, struct, k);
            }
        }
        in.leave(frame);
    }
}
