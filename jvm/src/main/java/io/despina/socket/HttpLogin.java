package io.despina.socket;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Logins over HTTP. */
public final class HttpLogin {
    private HttpLogin() {
    }

    /** What stands in the header {@code Authorization} (RFC 7617). @param user may be empty */
    public static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }
}
