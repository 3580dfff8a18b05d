package io.despina.operator.record;

/** The bytes of one record and where they came from, whatever that is. */
public interface RecordView {

    /** The record is {@code bytes()[start(), end())}, without its line end. */
    byte[] bytes();

    int start();

    int end();

    /** Where it stands, for messages: {@code file:line}. */
    String where();

    /** When it came, in microseconds since 1970; {@code Long.MIN_VALUE} if nobody knows. */
    default long arrived() {
        return Long.MIN_VALUE;
    }

    /** Whether nothing of its file was parsed before it, neither a header nor a record. */
    default boolean isFirst() {
        return false;
    }

    /** How records behind the header that came before it are read; null if there was none, as outside of texts. */
    default RecordReader reader() {
        return null;
    }
}
