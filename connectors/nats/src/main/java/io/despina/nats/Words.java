package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LoginException;
import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import io.nats.client.AuthenticationException;
import io.nats.client.JetStreamApiException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;

/** What goes wrong, in words. */
final class Words {
    static final int NO_STREAM = 10_059;
    private static final int NOT_ENABLED = 10_076;
    private static final int NOT_FOR_ACCOUNT = 10_039;
    private static final int NOT_OF_STREAM = 10_093;

    private Words() {
    }

    /** A connection that was not made. @param told the last that the client said of it; null if nothing */
    static IOException unconnected(ConnectorSettings settings, Exception why, Exception told, long millis) {
        String servers = "`servers` " + settings.text("servers");
        if (why instanceof AuthenticationException) {
            return new LoginException(servers + " refuse the login: " + look(settings), why);
        }
        if (!areKnown(settings)) {
            return new IOException("a host of " + servers + " is not known", why);
        }
        for (Throwable cause = told; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return new IOException("no TLS with " + servers + ": " + cause.getMessage() + ". `tls` names the authorities "
                        + "that are believed, and the server's certificate must name its host", why);
            }
            if (String.valueOf(cause.getMessage()).contains("SSL required by server")) {
                return new IOException(servers + " want TLS: write tls://", why);
            }
            if (String.valueOf(cause.getMessage()).contains("SSL connection wanted by client")) {
                return new IOException(servers + " have no TLS: write nats://", why);
            }
        }
        return new IOException(servers + " cannot be reached within " + millis + " ms"
                + (told == null || told.getMessage() == null ? "" : ": " + told.getMessage()), told == null ? why : told);
    }

    private static String look(ConnectorSettings settings) {
        if (settings.has("user")) {
            return "look at `user` and its password";
        }
        return settings.has("token") ? "look at the token" : settings.has("credentials") ? "look at the credentials"
                : "they want a `user` and a password, a token, credentials, or a certificate";
    }

    /** The client does not say so. */
    private static boolean areKnown(ConnectorSettings settings) {
        for (String each : settings.text("servers").split(",")) {
            try {
                InetAddress.getByName(URI.create(each).getHost());
            } catch (UnknownHostException e) {
                return false;
            }
        }
        return true;
    }

    /** A message that somebody has written, and NATS's client cannot read. @param which it is */
    static RefusedException unreadable(ConnectorSettings settings, String which, String why) {
        return new RefusedException("NATS's client cannot read " + which + ": " + why + ". Values of headers must be ASCII. The "
                + "job goes on when the message is removed (`nats stream rmm " + settings.text("stream") + " NUMBER`)", null);
    }

    static String strange(ConnectorSettings settings) {
        return "`subject` " + settings.text("subject") + " is none that `stream` " + settings.text("stream") + " takes";
    }

    /** Whether it says that there is no such stream. */
    static boolean isMissing(IOException why) {
        return why.getCause() instanceof JetStreamApiException told && told.getApiErrorCode() == NO_STREAM;
    }

    /** A question to JetStream that has no good answer. @param denied what the server does not allow; null if it said nothing */
    static IOException unanswered(ConnectorSettings settings, Exception why, String denied) {
        String servers = "NATS at " + settings.text("servers");
        if (denied != null) {
            return new IOException(servers + " does not allow it: " + denied, why);
        }
        if (!(why instanceof JetStreamApiException told)) {
            return new IOException(servers + " does not answer for JetStream: does it run there (`nats-server -js`)? "
                    + why.getMessage(), why);
        }
        return switch (told.getApiErrorCode()) {
            case NO_STREAM -> new IOException(servers + " has no `stream` " + settings.text("stream")
                    + ": it must be there when the job starts", why);
            case NOT_ENABLED, NOT_FOR_ACCOUNT -> new IOException(servers + " has no JetStream for this login (`nats-server -js`)",
                    why);
            case NOT_OF_STREAM -> new RefusedException(strange(settings), why);
            default -> new IOException(servers + ": " + told.getMessage(), why);
        };
    }

    /** A message, or a question, that no server has acknowledged. @param why null if nobody said */
    static IOException unpublished(ConnectorSettings settings, Exception why, Link link) {
        String servers = "NATS at " + settings.text("servers");
        if (link.denied() != null) {
            return new RefusedException(servers + " does not allow it: " + link.denied(), why);
        }
        if (!link.isOpen()) {
            return new LostException("the connection to " + settings.text("servers") + " has ended", why);
        }
        String said = "";
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            said = cause.getMessage() == null ? said : ": " + cause.getMessage();
        }
        return new LostException(servers + " has not acknowledged a message" + said, why);
    }
}
