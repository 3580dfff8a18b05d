package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.Scalar;

/**
 * Reads a time or a duration of Protobuf's own, which has seconds and nanoseconds, as microseconds. Few records are without one,
 * so its two numbers are read where they are, and no index is made of them.
 */
final class ProtoTime extends ProtoValue {
    private static final int SECONDS = 1;
    private static final int NANOS = 2;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;

    @Override
    void read(ProtoIndex in, int at, boolean chain, Scalar to) {
        long seconds = 0;
        int nanos = 0;
        for (int part = at; part != ProtoIndex.NONE; part = chain ? in.next(part) : ProtoIndex.NONE) {
            ProtoWire fields = in.walk(part);
            while (fields.next()) {
                if (fields.wire() == ProtoWire.VARINT && fields.number() == SECONDS) {
                    seconds = fields.varint();
                } else if (fields.wire() == ProtoWire.VARINT && fields.number() == NANOS) {
                    nanos = (int) fields.varint();
                }
            }
        }
        to.set(micros(seconds, nanos));
    }

    @Override
    ProtoWay way() {
        return ProtoWay.TIME;
    }

    /** Spark cuts off what is no whole microsecond, and so do we. */
    static long micros(long seconds, int nanos) {
        try {
            return Math.addExact(Math.multiplyExact(seconds, MICROS_PER_SECOND), nanos / NANOS_PER_MICRO);
        } catch (ArithmeticException beyond) {
            throw new BrokenRecord(seconds + " seconds are more microseconds than 64 bits hold");
        }
    }
}
