package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;

/** What goes wrong with Kafka, in words for the graph's author. */
final class KafkaWords {
    private KafkaWords() {
    }

    /**
     * The error of a call that waits for brokers.
     *
     * @param servers as in the graph
     * @param millis  how long it waited
     */
    static IOException of(Throwable why, String servers, long millis) {
        return of(why, servers, "connect_ms=" + millis);
    }

    /** @param time how long it waited, in words */
    static IOException of(Throwable why, String servers, String time) {
        if (why instanceof IOException known) {
            return known;
        }
        Throwable cause = why;
        while (cause.getCause() != null && !isTelling(cause)) {
            cause = cause.getCause();
        }
        if (cause instanceof SslAuthenticationException) {
            return new IOException("TLS with the brokers at " + servers + " fails: " + cause.getMessage() + deeper(cause)
                    + "; look at `tls`", why);
        }
        if (cause instanceof AuthenticationException) {
            return new IOException("the brokers at " + servers + " refuse the login: " + cause.getMessage() + "; look at `sasl`",
                    why);
        }
        if (cause instanceof AuthorizationException) {
            return new IOException("the brokers at " + servers + " do not allow it: " + cause.getMessage(), why);
        }
        if (cause instanceof TimeoutException) {
            return new IOException("no broker at " + servers + " has answered for " + time + ": is the address right, "
                    + "and does the broker want `tls` or `sasl`, or the graph?", why);
        }
        if (why instanceof InterruptException) {
            return new IOException("interrupted", why);
        }
        return new IOException("Kafka at " + servers + ": " + cause.getMessage(), why);
    }

    /** The error of a record, or of a transaction, that was tried for long enough. */
    static Exception ofWriting(Throwable why, ConnectorSettings settings) {
        String servers = settings.text("bootstrap_servers");
        if (why instanceof InterruptException) {
            return new InterruptedException("the job has ended");
        }
        return why instanceof TimeoutException
                ? new IOException("no broker at " + servers + " has taken a record for retry_for_ms="
                        + settings.whole("retry_for_ms") + ": " + why.getMessage(), why)
                : of(why, servers, settings.whole("connect_ms"));
    }

    /** Whether to try again is of no use. */
    static boolean isForGood(Throwable why) {
        return why instanceof AuthenticationException || why instanceof AuthorizationException;
    }

    private static boolean isTelling(Throwable cause) {
        return cause instanceof AuthenticationException || cause instanceof AuthorizationException
                || cause instanceof TimeoutException;
    }

    private static String deeper(Throwable cause) {
        return cause.getCause() == null || cause.getCause().getMessage() == null ? "" : ": " + cause.getCause().getMessage();
    }
}
