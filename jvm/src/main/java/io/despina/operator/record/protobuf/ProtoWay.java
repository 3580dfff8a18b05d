package io.despina.operator.record.protobuf;

/**
 * How a value as it is written becomes that of its column, where the value alone decides: it always fits, and no other field of
 * the message changes it.
 */
enum ProtoWay {
    /** The number, or the bits of a FLOAT or DOUBLE. */
    AS_IT_IS,
    /** Its 32 lower bits, with a sign. */
    INT,
    /** Its 32 lower bits, without one. */
    UNSIGNED_INT,
    /** A number with its sign in the lowest bit. */
    ZIGZAG,
    /** The same, of 32 bits. */
    ZIGZAG_INT,
    BOOLEAN,
    /** The bits of a FLOAT, for a DOUBLE. */
    WIDENED,
    /** The number of an enum's value, whose name it becomes. */
    SYMBOL,
    TEXT,
    BYTES,
    /** A message of seconds and nanoseconds. */
    TIME;

    /** The number of a column, of one on the wire. */
    long number(long raw) {
        return switch (this) {
            case INT -> (int) raw;
            case UNSIGNED_INT -> raw & 0xFFFF_FFFFL;
            case ZIGZAG -> raw >>> 1 ^ -(raw & 1);
            case ZIGZAG_INT -> (int) raw >>> 1 ^ -((int) raw & 1);
            case BOOLEAN -> raw == 0 ? 0 : 1;
            case WIDENED -> Double.doubleToRawLongBits(Float.intBitsToFloat((int) raw));
            default -> raw;
        };
    }
}
