package io.despina.iceberg;

/** Another writer has made the next version of the table. Unlike Iceberg's own, it makes no transaction try again by itself. */
final class AnotherFirstException extends RuntimeException implements org.apache.iceberg.exceptions.CleanableFailure {
    private static final long serialVersionUID = 1L;

    AnotherFirstException(Throwable cause) {
        super("others write to the table too", cause);
    }
}
