package io.despina.registry;

import io.despina.socket.TlsFiles;
import java.io.IOException;

/**
 * Where a registry is, and who asks it.
 *
 * @param url   {@code http://} or {@code https://}, without a slash at its end
 * @param login null without one
 * @param tls   null for what Java believes
 */
public record RegistryPlace(String url, Login login, TlsFiles tls) {
    /** What stands in the header {@code Authorization}. It is read where the operator runs, each time that it is needed. */
    public interface Login {
        /** @throws IOException if the secret is not there; the message says where it was looked for */
        String header() throws IOException;
    }
}
