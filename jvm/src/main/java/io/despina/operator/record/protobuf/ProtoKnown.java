package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.Scalar;
import io.despina.packet.Type;

/** Reads messages of Protobuf's own that have one field as its value: a number or a text that may be missing. */
final class ProtoKnown extends ProtoValue {
    private final ProtoMembers members;

    ProtoKnown(ProtoMembers members) {
        this.members = members;
    }

    static boolean isTime(ProtoField field) {
        return field.typeName().equals(KnownMessages.TIMESTAMP) || field.typeName().equals(KnownMessages.DURATION);
    }

    /** The type of a field in a message that is nothing but a value; null for other messages. */
    static ProtoType wrapped(String message) {
        return KnownMessages.WRAPPERS.get(message);
    }

    /** Whether a field of the message can be read as the type. */
    static boolean fits(ProtoField field, Type type) {
        if (field.type() != ProtoType.MESSAGE) {
            return false;
        }
        boolean isMicros = type instanceof Type.Interval interval && !interval.isMonths();
        return switch (field.typeName()) {
            case KnownMessages.TIMESTAMP -> type == Type.Simple.TIMESTAMP;
            case KnownMessages.DURATION -> isMicros;
            default -> wrapped(field.typeName()) != null && ProtoScalar.fits(wrapped(field.typeName()), type);
        };
    }

    @Override
    void read(ProtoIndex in, int at, boolean chain, Scalar to) {
        int frame = in.enter(members.shape(), at, chain);
        members.read(0, in, frame, to);
        in.leave(frame);
    }
}
