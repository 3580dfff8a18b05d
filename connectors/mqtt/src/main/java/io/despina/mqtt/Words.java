package io.despina.mqtt;

import io.despina.connect.LoginException;
import io.despina.connect.RefusedException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;

/** What goes wrong, in words. */
final class Words {
    /** Reason codes from here on say that something was not done. */
    static final int FAILED = 0x80;
    static final int UNSPECIFIED = 0x80;
    static final int NOT_AUTHORIZED = 0x87;
    static final int TAKEN_OVER = 0x8E;
    static final int QUOTA_EXCEEDED = 0x97;

    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(UNSPECIFIED, "it gives no reason"), Map.entry(0x81, "malformed packet"), Map.entry(0x82, "protocol error"),
            Map.entry(0x83, "its own implementation does not allow it"), Map.entry(NOT_AUTHORIZED, "not authorized"),
            Map.entry(0x89, "the broker is busy"), Map.entry(0x8B, "the broker is shutting down"),
            Map.entry(0x8D, "keep alive timeout"), Map.entry(TAKEN_OVER, "another client has the same `client_id`"),
            Map.entry(0x8F, "the topic filter is invalid"), Map.entry(0x90, "the topic name is invalid"),
            Map.entry(0x93, "receive maximum exceeded"), Map.entry(0x95, "the packet is too large"),
            Map.entry(0x96, "the message rate is too high"), Map.entry(QUOTA_EXCEEDED, "quota exceeded"),
            Map.entry(0x98, "administrative action"), Map.entry(0x99, "the payload format is invalid"),
            Map.entry(0x9A, "it does not retain messages"), Map.entry(0x9B, "it does not support that `qos`"),
            Map.entry(0x9E, "it does not support shared subscriptions"),
            Map.entry(0xA2, "it does not support wildcard subscriptions"));

    private Words() {
    }

    static String of(int reason) {
        return REASONS.getOrDefault(reason, "reason code " + reason);
    }

    /** A connection that was not made: nobody was reached. */
    static IOException unconnected(Broker broker, Throwable why) {
        return unconnected(broker, why, "");
    }

    /** A connection that breaks before the broker has said anything. */
    static IOException unanswered(Broker broker, Throwable why) {
        return unconnected(broker, why, asked(broker));
    }

    private static IOException unconnected(Broker broker, Throwable why, String asked) {
        Throwable cause = why instanceof DecoderException && why.getCause() != null ? why.getCause() : why;
        if (cause instanceof UnknownHostException) {
            return new RefusedException("the host of `broker` " + broker + " is not known", cause);
        }
        if (cause instanceof SSLException) {
            String words = cause.getMessage();
            return new RefusedException("no TLS with `broker` " + broker + ": " + words + ". `tls` names the authorities that "
                    + "are believed, and the broker's certificate must name its host", cause);
        }
        String said = cause.getMessage() == null ? "the connection is closed" : cause.getMessage();
        return new IOException("`broker` " + broker + " cannot be reached: " + said + asked, cause);
    }

    /** A connection that ends before the broker has said anything. */
    static IOException unanswered(Broker broker) {
        return new IOException("`broker` " + broker + " closes the connection without an answer" + asked(broker));
    }

    /** What is the matter where somebody listens, and has nothing to say. */
    private static String asked(Broker broker) {
        return "; does it speak TLS at this port?" + (broker.tls() == null ? " Then write mqtts://" : "");
    }

    /** An answer to CONNECT. */
    static IOException refused(Broker broker, MqttConnectReturnCode code) {
        return switch (code) {
            case CONNECTION_REFUSED_SERVER_UNAVAILABLE, CONNECTION_REFUSED_SERVER_UNAVAILABLE_5, CONNECTION_REFUSED_SERVER_BUSY,
                    CONNECTION_REFUSED_CONNECTION_RATE_EXCEEDED ->
                new IOException("`broker` " + broker + " takes no connections now: " + words(code));
            case CONNECTION_REFUSED_BAD_USER_NAME_OR_PASSWORD, CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD,
                    CONNECTION_REFUSED_NOT_AUTHORIZED, CONNECTION_REFUSED_NOT_AUTHORIZED_5 ->
                new LoginException("`broker` " + broker + " refuses the login"
                        + (broker.user() == null ? ": it wants a `user` and a password, or a certificate"
                        : " of `user` " + broker.user() + ": " + words(code)), null);
            case CONNECTION_REFUSED_UNACCEPTABLE_PROTOCOL_VERSION, CONNECTION_REFUSED_UNSUPPORTED_PROTOCOL_VERSION ->
                new RefusedException("`broker` " + broker + " does not speak `version` " + (broker.isFive() ? "5: try 3.1.1"
                        : "3.1.1: try 5"), null);
            default -> new RefusedException("`broker` " + broker + " refuses the client `" + broker.client() + "`: "
                    + words(code), null);
        };
    }

    /** An answer to SUBSCRIBE. */
    static IOException unread(Broker broker, String topic, int reason) {
        return new RefusedException("`broker` " + broker + " does not let " + (broker.user() == null ? "the client `"
                + broker.client() + "`" : "`user` " + broker.user()) + " read `" + topic + "` of `topics`: " + of(reason), null);
    }

    private static String words(MqttConnectReturnCode code) {
        return code.name().replace("CONNECTION_REFUSED_", "").replace("_5", "").replace('_', ' ').toLowerCase(Locale.ROOT);
    }
}
