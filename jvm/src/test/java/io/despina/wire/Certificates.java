package io.despina.wire;

import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A folder as {@link Tls} reads it, made with the JDK's own tool: a certificate that an authority of its own has signed. */
public final class Certificates {
    private static final String PASSWORD = "password";
    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private final Path folder;
    private final Path keys;

    private Certificates(Path folder) {
        this.folder = folder;
        keys = folder.resolve("keys.p12");
    }

    /**
     * Makes the folder.
     *
     * @param names what the certificate is of: {@code ip:127.0.0.1}
     */
    public static Path in(Path folder, String names)
            throws IOException, GeneralSecurityException, ReflectiveOperationException {
        return in(folder, names, "-1d", 90);
    }

    /**
     * The same, valid for another time.
     *
     * @param start when that begins, as keytool takes it: {@code -10d}
     * @param days  how long it is
     */
    public static Path in(Path folder, String names, String start, int days)
            throws IOException, GeneralSecurityException, ReflectiveOperationException {
        Files.createDirectories(folder);
        new Certificates(folder).make("san=" + names, start, String.valueOf(days));
        return folder;
    }

    private void make(String names, String start, String days) throws IOException, GeneralSecurityException,
            ReflectiveOperationException {
        Path request = folder.resolve("request");
        keytool("-genkeypair", "-keyalg", "EC", "-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c");
        keytool("-genkeypair", "-keyalg", "EC", "-alias", "own", "-dname", "CN=own");
        keytool("-certreq", "-alias", "own", "-file", request.toString());
        keytool("-gencert", "-rfc", "-alias", "authority", "-ext", names, "-startdate", start, "-validity", days, "-infile",
                request.toString(), "-outfile", folder.resolve(Tls.CERTIFICATE).toString());
        keytool("-exportcert", "-rfc", "-alias", "authority", "-file", folder.resolve(Tls.AUTHORITY).toString());
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        byte[] key = store.getKey("own", PASSWORD.toCharArray()).getEncoded();
        Files.createFile(folder.resolve(Tls.KEY),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(folder.resolve(Tls.KEY),
                "-----BEGIN PRIVATE KEY-----\n" + PEM.encodeToString(key) + "\n-----END PRIVATE KEY-----\n");
    }

    private void keytool(String... words) throws ReflectiveOperationException {
        Keytool.run(keys, PASSWORD, words);
    }
}
