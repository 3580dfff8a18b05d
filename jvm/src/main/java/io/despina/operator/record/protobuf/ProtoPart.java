package io.despina.operator.record.protobuf;

import io.despina.packet.Packet;
import io.despina.packet.Type;
import java.util.List;

/** A column on its way to a field of a message. */
record ProtoPart(int column, ProtoSink sink) {

    /** Writes a row as the fields of a message. */
    static void write(List<ProtoPart> parts, Packet packet, ProtoOut out) {
        for (int k = 0; k < parts.size(); k++) {
            ProtoPart part = parts.get(k);
            int column = part.column;
            if (packet.isNull(column)) {
                if (part.sink.field().required()) {
                    throw new IllegalArgumentException("`" + part.sink.field().name()
                            + "` is NULL, and the message must have it");
                }
            } else if (packet.layout().type(column).width() == Type.VARIABLE) {
                int from = packet.valueStart(column);
                part.sink.write(packet.bytes(), from, packet.valueEnd(), out);
            } else {
                part.sink.write(packet.bytes(), packet.fixedStart(column), 0, out);
            }
        }
    }
}
