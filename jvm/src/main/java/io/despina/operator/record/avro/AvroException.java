package io.despina.operator.record.avro;

/** A schema that is none, or one that does not fit the columns. */
public final class AvroException extends Exception {
    private static final long serialVersionUID = 1L;

    AvroException(String message) {
        super(message);
    }
}
