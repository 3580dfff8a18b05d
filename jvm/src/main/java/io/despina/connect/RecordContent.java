package io.despina.connect;

/**
 * What is in a record: its value, and what comes beside it. That, as a key or a time, has an index: the place of its name in the
 * operator type's declaration.
 */
public interface RecordContent {

    /** The bytes that have the record's value; null for a record without one, which says that its key is deleted. */
    byte[] value();

    /** What is wrong with a record without one. */
    default String without() {
        return "the record has no value: it says that its key is deleted";
    }

    /** Where in them the value begins. */
    int from();

    int to();

    /** Where the record stands, for messages: {@code orders/3@4711}. */
    String where();

    /** Why this is no record though the server gave it, in words; null if it is one. */
    default String problem() {
        return null;
    }

    /** When the server got the record, in microseconds since 1970; {@code Long.MIN_VALUE} if it does not say. */
    default long arrived() {
        return Long.MIN_VALUE;
    }

    /** Whether the record has no such thing. */
    boolean isMissing(int index);

    /** A number; an instant in microseconds since 1970; 1 and 0 for true and false. */
    long number(int index);

    /** Bytes, or UTF-8 text. */
    byte[] binary(int index);

    /** Named values in their order: name (UTF-8), value or null, name, value, and so on. A name may come twice. */
    byte[][] pairs(int index);
}
