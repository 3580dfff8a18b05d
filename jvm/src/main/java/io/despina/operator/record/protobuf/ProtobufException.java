package io.despina.operator.record.protobuf;

/** A descriptor file that is none, or a message that does not fit the columns. */
public final class ProtobufException extends Exception {
    private static final long serialVersionUID = 1L;

    ProtobufException(String message) {
        super(message);
    }
}
