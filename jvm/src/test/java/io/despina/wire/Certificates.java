package io.despina.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** Folders as {@link Tls} reads them, made with the JDK's own tool: each resource is its own authority. */
public final class Certificates {
    private static final String PASSWORD = "password";
    private static final String ALIAS = "despina";
    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private Certificates() {
    }

    /**
     * Makes the folder.
     *
     * @param names what the certificate is of: {@code ip:127.0.0.1}
     */
    public static Path in(Path folder, String names) throws IOException, GeneralSecurityException, InterruptedException {
        Files.createDirectories(folder);
        Path keys = folder.resolve("keys.p12");
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-keyalg", "EC", "-alias", ALIAS, "-dname", "CN=despina", "-ext", "san=" + names, "-keystore", keys.toString(),
                "-storetype", "PKCS12", "-storepass", PASSWORD);
        Path said = folder.resolve("keytool.log");
        if (new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start().waitFor() != 0) {
            throw new IOException(Files.readString(said));
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        String certificate = pem("CERTIFICATE", store.getCertificate(ALIAS).getEncoded());
        Files.writeString(folder.resolve(Tls.CERTIFICATE), certificate);
        Files.writeString(folder.resolve(Tls.AUTHORITY), certificate);
        Files.writeString(folder.resolve(Tls.KEY), pem("PRIVATE KEY", store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
        return folder;
    }

    private static String pem(String of, byte[] bytes) {
        return "-----BEGIN " + of + "-----\n" + PEM.encodeToString(bytes) + "\n-----END " + of + "-----\n";
    }
}
