package io.despina.socket;

import java.net.URI;
import java.net.URISyntaxException;

/** Looks at addresses of servers, {@code scheme://host:port} with a path or without. */
public final class ServerAddress {
    private static final int MOST_PORT = 65_535;

    private ServerAddress() {
    }

    /** Why no server can be there, in words behind others; null if one can. */
    public static String wrong(String url) {
        try {
            URI read = new URI(url);
            return read.getHost() == null ? ": its host has letters, digits, `-` and `.`, and its port is a number"
                    : read.getPort() > MOST_PORT ? ": there is no port " + read.getPort() : null;
        } catch (URISyntaxException why) {
            return ": " + why.getReason() + " at character " + (why.getIndex() + 1);
        }
    }
}
