package io.despina.wire.handshake;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * TLS around every connection of a resource, data and control alike. Both sides show a certificate of one authority, and the
 * connecting side checks that it names the host that it has called. The job secret is proved inside, as without TLS.
 *
 * @param server for the accepting side
 * @param client for the connecting side
 */
public record Tls(SslContext server, SslContext client) {
    /** This resource's own certificate, and those between it and the authority's. */
    public static final String CERTIFICATE = "certificate.pem";
    /** Its private key: PKCS#8, without a password. */
    public static final String KEY = "key.pem";
    /** The certificate of the authority that has signed the certificates of all resources. */
    public static final String AUTHORITY = "authority.pem";

    /**
     * Reads the three files in a folder.
     *
     * @throws IOException if a file is missing, or something is wrong with them
     */
    public static Tls of(Path folder) throws IOException {
        File certificate = file(folder, CERTIFICATE);
        File key = file(folder, KEY);
        File authority = file(folder, AUTHORITY);
        try {
            return new Tls(SslContextBuilder.forServer(certificate, key).trustManager(authority)
                            .clientAuth(ClientAuth.REQUIRE).build(),
                    SslContextBuilder.forClient().keyManager(certificate, key).trustManager(authority)
                            .endpointIdentificationAlgorithm("HTTPS").build());
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("the files in " + folder + " cannot be used for TLS: " + e.getMessage(), e);
        }
    }

    private static File file(Path folder, String name) throws IOException {
        Path file = folder.resolve(name);
        if (!Files.isReadable(file)) {
            throw new IOException("no " + name + " in " + folder + (Files.exists(file) ? " that may be read" : ""));
        }
        return file.toFile();
    }
}
