package io.despina.connect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Java's TLS of the files that a graph names, for libraries that take an {@link SSLContext}. */
public final class TlsContext {
    private static final char[] NO_PASSWORD = {};
    private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
    private static final List<String> KINDS = List.of("RSA", "EC", "Ed25519", "Ed448");

    private TlsContext() {
    }

    /**
     * A context for connections over sockets. The server's certificate must name the host that was connected to, also where the
     * library does not ask for that.
     *
     * @throws IOException if a file is not there, or is none of its kind; the message names the file
     */
    public static SSLContext of(ConnectorSettings.Tls files) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own(files), NO_PASSWORD);
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(files.trust() == null ? null : authorities(files.trust()));
            context.init(keys.getKeyManagers(), Arrays.stream(trusted.getTrustManagers()).map(TlsContext::named)
                    .toArray(TrustManager[]::new), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the files of `tls` cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static KeyStore authorities(String file) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        for (Certificate each : certificates(file)) {
            store.setCertificateEntry("authority" + store.size(), each);
        }
        return store;
    }

    private static KeyStore own(ConnectorSettings.Tls files) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        if (files.certificate() != null) {
            store.setKeyEntry("own", key(files.key()), NO_PASSWORD,
                    certificates(files.certificate()).toArray(Certificate[]::new));
        }
        return store;
    }

    /** All of a file of PEM. @throws IOException if it has none; the message names the file */
    public static List<X509Certificate> certificates(String file) throws IOException {
        try (InputStream in = new ByteArrayInputStream(bytes(file))) {
            List<X509Certificate> found = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast).toList();
            if (found.isEmpty()) {
                throw new IOException("the files of `tls` cannot be used: " + file + " has no certificate");
            }
            return found;
        } catch (CertificateException e) {
            throw new IOException("the files of `tls` cannot be used: " + file + ": " + e.getMessage(), e);
        }
    }

    /** The key of a file of PEM. @throws IOException if it has none that can be used; the message names the file */
    public static PrivateKey key(String file) throws IOException {
        Matcher text = KEY.matcher(new String(bytes(file), StandardCharsets.US_ASCII));
        if (!text.find()) {
            throw new IOException("the files of `tls` cannot be used: " + file + " has no key in PKCS#8 without a password");
        }
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text.group(1)));
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(spec);
            } catch (InvalidKeySpecException ofAnotherKind) {
                continue;
            } catch (GeneralSecurityException e) {
                throw new IOException("the files of `tls` cannot be used: " + file + ": " + e.getMessage(), e);
            }
        }
        throw new IOException("the files of `tls` cannot be used: the key in " + file + " is none of " + KINDS);
    }

    /** A file of {@code tls}. @throws IOException if it cannot be read; the message names it */
    public static byte[] bytes(String file) throws IOException {
        Path path = Path.of(file);
        if (!Files.isReadable(path)) {
            throw new IOException("the files of `tls` cannot be used: there is no " + file
                    + (Files.exists(path) ? " that may be read" : ""));
        }
        return Files.readAllBytes(path);
    }

    private static TrustManager named(TrustManager manager) {
        return manager instanceof X509ExtendedTrustManager extended ? new Named(extended) : manager;
    }

    /** Has Java compare the certificate with the host, as it does for HTTPS. */
    private static final class Named extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager inner;

        Named(X509ExtendedTrustManager inner) {
            this.inner = inner;
        }

        private static SSLParameters compared(SSLParameters parameters) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            return parameters;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
            if (socket instanceof SSLSocket secure) {
                secure.setSSLParameters(compared(secure.getSSLParameters()));
            }
            inner.checkServerTrusted(chain, kind, socket);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
            engine.setSSLParameters(compared(engine.getSSLParameters()));
            inner.checkServerTrusted(chain, kind, engine);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            throw new CertificateException("the host is not known");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            inner.checkClientTrusted(chain, kind);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
            inner.checkClientTrusted(chain, kind, socket);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
            inner.checkClientTrusted(chain, kind, engine);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return inner.getAcceptedIssuers();
        }
    }
}
