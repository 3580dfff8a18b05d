package io.despina.asking;

import io.despina.connect.ConnectorSettings.HiddenText;
import io.despina.socket.TlsFiles;
import java.util.Map;

/**
 * Where a source asks, and who it is.
 *
 * @param url     {@code http://} or {@code https://}, without a user, a password or a fragment
 * @param headers of every request
 * @param secrets of every request
 * @param login   null without one
 * @param tls     null for what Java believes
 */
public record AskedServer(String url, Map<String, String> headers, Secrets secrets, ServerLogin login, TlsFiles tls,
        Times times) {

    /**
     * What is in no graph and in no message.
     *
     * @param headers    by their names
     * @param parameters of the URL's query, by their names
     */
    public record Secrets(Map<String, HiddenText> headers, Map<String, HiddenText> parameters) {
    }

    /**
     * How long it waits.
     *
     * @param answerMillis for an answer, and for each further part of it
     * @param retryMillis  while the server is away or fails, until the job fails
     */
    public record Times(long answerMillis, long retryMillis) {
    }

    /** How it logs in. */
    public sealed interface ServerLogin {
    }

    /** A token that is there. */
    public record BearerLogin(HiddenText token) implements ServerLogin {
    }

    /** A user and a password. */
    public record BasicLogin(HiddenText user, HiddenText password) implements ServerLogin {
    }

    /**
     * OAuth 2.0's client credentials (RFC 6749, 4.4): a token server gives a token, for some time.
     *
     * @param url  of the token server
     * @param form what else is posted to it, as {@code scope}
     */
    public record ClientLogin(String url, String id, HiddenText secret, Map<String, String> form) implements ServerLogin {
    }
}
