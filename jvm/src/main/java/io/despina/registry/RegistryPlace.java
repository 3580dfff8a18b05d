package io.despina.registry;

import io.despina.socket.TlsFiles;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where a registry is, and who asks it.
 *
 * @param url   {@code http://} or {@code https://}, without a slash at its end
 * @param login null without one
 * @param tls   null for what Java believes
 */
public record RegistryPlace(String url, Login login, TlsFiles tls) {
    private static final int MOST_PORT = 65_535;

    /** Why a registry cannot be asked there, in words behind others; null if it can. */
    public static String wrong(String url) {
        try {
            URI read = new URI(url);
            return read.getHost() == null ? ": its host has letters, digits, `-` and `.`, and its port is a number"
                    : read.getPort() > MOST_PORT ? ": there is no port " + read.getPort() : null;
        } catch (URISyntaxException why) {
            return ": " + why.getReason() + " at character " + (why.getIndex() + 1);
        }
    }

    /** What stands in the header {@code Authorization}. It is read where the operator runs, each time that it is needed. */
    public interface Login {
        /** @throws IOException if the secret is not there; the message says where it was looked for */
        String header() throws IOException;
    }
}
