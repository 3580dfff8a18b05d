package io.despina.operator.record.protobuf;

import io.despina.packet.Bytes;

/** Writes a value that is not nested as a message of Protobuf's own. */
abstract class ProtoBoxed extends ProtoSink {

    ProtoBoxed(ProtoField field) {
        super(field);
    }

    abstract void inner(byte[] bytes, int from, int to, ProtoOut out);

    @Override
    final void value(byte[] bytes, int from, int to, ProtoOut out) {
        int begin = out.begin();
        inner(bytes, from, to, out);
        out.end(begin);
    }

    /** A message that is nothing but a value. */
    static final class OfValue extends ProtoBoxed {
        private final ProtoSink value;

        OfValue(ProtoField field, ProtoSink value) {
            super(field);
            this.value = value;
        }

        @Override
        void inner(byte[] bytes, int from, int to, ProtoOut out) {
            value.write(bytes, from, to, out);
        }
    }

    /** Microseconds, as seconds and nanoseconds. */
    static final class OfMicros extends ProtoBoxed {
        private static final long MICROS = 1_000_000;
        private static final long NANOS = 1_000;
        private static final int SECONDS_FIELD = 1;
        private static final int NANOS_FIELD = 2;

        private final boolean isTime;

        OfMicros(ProtoField field) {
            super(field);
            isTime = field.typeName().equals(KnownMessages.TIMESTAMP);
        }

        /** Nanoseconds of a time count forward; those of a duration have its sign. */
        @Override
        void inner(byte[] bytes, int from, int to, ProtoOut out) {
            long micros = Bytes.getLong(bytes, from);
            number(SECONDS_FIELD, isTime ? Math.floorDiv(micros, MICROS) : micros / MICROS, out);
            number(NANOS_FIELD, NANOS * (isTime ? Math.floorMod(micros, MICROS) : micros % MICROS), out);
        }

        private static void number(int field, long value, ProtoOut out) {
            if (value != 0) {
                out.tag(field, ProtoWire.VARINT);
                out.varint(value);
            }
        }
    }
}
