package io.despina.operator.record.registry;

/** Why records of a schema of a registry cannot be read. */
final class UnreadableSchemaException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableSchemaException(String message) {
        super(message);
    }
}
