package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.Type;

/** Reads messages of Protobuf's own as values that are not nested: a time, a duration, a number or a text that may be missing. */
final class ProtoKnown extends ProtoValue {
    private static final long MICROS = 1_000_000;
    private static final long NANOS = 1_000;

    private final ProtoMembers members;
    /** Whether it is seconds and nanoseconds, and else one value. */
    private final boolean isTime;
    private final Scalar part = new Scalar();

    /** @param isTime whether they are its seconds and nanoseconds, and else one value */
    ProtoKnown(ProtoMembers members, boolean isTime) {
        this.members = members;
        this.isTime = isTime;
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
        if (isTime) {
            members.read(0, in, frame, part);
            long seconds = part.number();
            members.read(1, in, frame, part);
            to.set(micros(seconds, part.number()));
        } else {
            members.read(0, in, frame, to);
        }
        in.leave(frame);
    }

    /** Spark cuts off what is no whole microsecond, and so do we. */
    private static long micros(long seconds, long nanos) {
        try {
            return Math.addExact(Math.multiplyExact(seconds, MICROS), nanos / NANOS);
        } catch (ArithmeticException beyond) {
            throw new BrokenRecord(seconds + " seconds are more microseconds than 64 bits hold");
        }
    }
}
