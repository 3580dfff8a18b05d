package io.despina.socket;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLContext;

/**
 * The files of TLS, all in PEM; each may be null.
 *
 * @param certificate its own, and those between it and the authority's
 * @param key         of the certificate: PKCS#8, without a password
 * @param trust       certificates of the authorities whose peers are believed; null for the system's, and for a listener that
 *                    asks its clients for none
 */
public record TlsFiles(String certificate, String key, String trust) {

    /** Whether something failed because a certificate is not believed: then another try fails, too. */
    public static boolean isOfCertificate(Throwable why) {
        for (Throwable each = why; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    SslContext server() throws IOException {
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(file(certificate), file(key));
            if (trust != null) {
                builder.trustManager(file(trust)).clientAuth(ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (IOException | IllegalArgumentException e) {
            throw unusable(e);
        }
    }

    SslContext client() throws IOException {
        return client(null);
    }

    /** For Java's own clients. */
    public SSLContext context() throws IOException {
        return ((JdkSslContext) client(SslProvider.JDK)).context();
    }

    private SslContext client(SslProvider provider) throws IOException {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(provider)
                    .endpointIdentificationAlgorithm("HTTPS");
            if (certificate != null) {
                builder.keyManager(file(certificate), file(key));
            }
            return (trust == null ? builder : builder.trustManager(file(trust))).build();
        } catch (IOException | IllegalArgumentException e) {
            throw unusable(e);
        }
    }

    private static IOException unusable(Exception why) {
        return new IOException("the files of `tls` cannot be used: " + why.getMessage(), why);
    }

    private static File file(String path) throws IOException {
        Path file = Path.of(path);
        if (!Files.isReadable(file)) {
            throw new IOException("there is no " + path + (Files.exists(file) ? " that may be read" : ""));
        }
        return file.toFile();
    }
}
