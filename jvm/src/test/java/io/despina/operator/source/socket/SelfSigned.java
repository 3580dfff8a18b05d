package io.despina.operator.source.socket;

import io.despina.wire.Keytool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate of 127.0.0.1 that is its own authority, and its key, made with the JDK's own tool. */
public final class SelfSigned {
    private static final String PASSWORD = "password";
    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});

    /** Guarded by the class: made once. */
    private static Path made;

    private SelfSigned() {
    }

    /** Puts {@code certificate.pem} and {@code key.pem} there. */
    public static synchronized void in(Path folder) throws IOException, GeneralSecurityException, ReflectiveOperationException {
        if (made == null) {
            made = Files.createTempDirectory("self-signed");
            make(made);
        }
        for (String each : List.of("keys.p12", "certificate.pem", "key.pem")) {
            Files.copy(made.resolve(each), folder.resolve(each));
        }
    }

    private static void make(Path folder) throws IOException, GeneralSecurityException, ReflectiveOperationException {
        Path keys = folder.resolve("keys.p12");
        Keytool.run(keys, PASSWORD, "-genkeypair", "-keyalg", "EC", "-alias", "own", "-dname", "CN=own", "-ext",
                "san=ip:127.0.0.1", "-ext", "bc:c", "-startdate", "-1d", "-validity", "90");
        KeyStore store = load(keys);
        write(folder.resolve("certificate.pem"), "CERTIFICATE", store.getCertificate("own").getEncoded());
        write(folder.resolve("key.pem"), "PRIVATE KEY", store.getKey("own", PASSWORD.toCharArray()).getEncoded());
    }

    private static KeyStore load(Path keys) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static void write(Path file, String what, byte[] bytes) throws IOException {
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + PEM.encodeToString(bytes) + "\n-----END " + what + "-----\n");
    }

    /** For a client that trusts it, or a server that shows it. */
    public static SSLContext trusting(Path folder) throws IOException, GeneralSecurityException {
        KeyStore own = load(folder.resolve("keys.p12"));
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("own", own.getCertificate("own"));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
