package io.despina.socket;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * What a source over HTTP takes.
 *
 * @param path         the only one that it knows
 * @param mostBytes    of a body, or of a message
 * @param token        what clients must show; null if everybody is welcome
 */
public record HttpOptions(String path, int mostBytes, TokenPlace token) {

    /** Who may come in. */
    record Admission(byte[] authorization) {
        boolean admits(HttpRequest request) {
            String shown = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
            return authorization == null || MessageDigest.isEqual(authorization, shown.getBytes(StandardCharsets.UTF_8));
        }
    }

    Admission admission() throws IOException {
        return new Admission(token == null ? null : ("Bearer " + token.read()).getBytes(StandardCharsets.UTF_8));
    }

    boolean isAt(HttpRequest request) {
        String uri = request.uri();
        int query = uri.indexOf('?');
        return path.equals(query < 0 ? uri : uri.substring(0, query));
    }
}
