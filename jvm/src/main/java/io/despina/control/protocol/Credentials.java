package io.despina.control.protocol;

import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Files by which coordinator and resources of a deployment authenticate each other. */
public final class Credentials {
    /** The environment variable for the secret, if no file is named. */
    public static final String VARIABLE = "DESPINA_SECRET";
    private static final int LEAST_BYTES = 16;
    private static final String TOKEN_RULE = "token_file";
    private static final String TOKEN = "DESPINA_TOKEN";
    private static final String TOKEN_FILE = "DESPINA_TOKEN_FILE";
    /** What a header of HTTP can have. */
    private static final Pattern PLAIN = Pattern.compile("[!-~]+");
    private static final String SECRET_HINT = "make one, and give the same to every resource: openssl rand -hex 32 > F;"
            + " chmod 600 F";

    private static final Set<PosixFilePermission> OWNERS = PosixFilePermissions.fromString("rwx------");

    private static final String TLS_HINT = Tls.CERTIFICATE + " and " + Tls.KEY + " are this resource's own, " + Tls.AUTHORITY
            + " is the certificate of the authority that signed all of them; all are PEM. docs/security.md"
            + " shows how to make them";

    private Credentials() {
    }

    /**
     * The common secret: one line of text, without surrounding white space.
     *
     * @param file null for the secret in the environment
     * @return null if there is none
     */
    public static String secret(String file) throws Refusal {
        return secret(file, System.getenv(VARIABLE));
    }

    static String secret(String file, String given) throws Refusal {
        if (file == null) {
            return given == null ? null : sound(given, VARIABLE);
        }
        try {
            refuseShared(Path.of(file), "secret_file");
            return sound(Files.readString(Path.of(file)), file);
        } catch (IOException e) {
            throw new Refusal("secret_file", "cannot read the secret file " + file + ": " + reason(e), SECRET_HINT);
        }
    }

    private static String sound(String text, String from) throws Refusal {
        String secret = text.strip();
        int bytes = secret.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < LEAST_BYTES) {
            throw new Refusal("secret_file", "the secret in " + from + " has " + bytes + " bytes; at least " + LEAST_BYTES
                    + " are needed", SECRET_HINT);
        }
        if (secret.lines().count() > 1) {
            throw new Refusal("secret_file", "the secret in " + from + " has several lines", SECRET_HINT);
        }
        return secret;
    }

    /**
     * The token for a service.
     *
     * @param file null for the one in the environment, or in the file that the environment names
     */
    public static String token(String file) throws Refusal {
        return token(file, System.getenv());
    }

    static String token(String file, Map<String, String> environment) throws Refusal {
        String named = file != null ? file : environment.get(TOKEN_FILE);
        if (file == null && environment.containsKey(TOKEN)) {
            return plain(environment.get(TOKEN), TOKEN);
        }
        if (named == null) {
            throw new Refusal(TOKEN_RULE, "there is no token for the service", "option(\"tokenFile\", path) names a file of mode"
                    + " 600 with one of the role admin; or " + TOKEN + " or " + TOKEN_FILE
                    + " in the environment of Spark's driver");
        }
        try {
            refuseShared(Path.of(named), TOKEN_RULE);
            return plain(Files.readString(Path.of(named)), named);
        } catch (IOException e) {
            throw new Refusal(TOKEN_RULE, "cannot read the token file " + named + ": " + reason(e), null);
        }
    }

    /** Another text would be quoted by whoever refuses it as a header. */
    private static String plain(String text, String from) throws Refusal {
        if (!PLAIN.matcher(text.strip()).matches()) {
            throw new Refusal(TOKEN_RULE, "what is in " + from + " is no token of a service", "despina token add makes one");
        }
        return text.strip();
    }

    /** TLS with the files of a folder; null for null. */
    public static Tls tls(String folder) throws Refusal {
        if (folder == null) {
            return null;
        }
        try {
            Path key = Path.of(folder, Tls.KEY);
            if (Files.exists(key)) {
                refuseShared(key, "tls");
            }
            return Tls.of(Path.of(folder));
        } catch (IOException e) {
            throw new Refusal("tls", e.getMessage(), TLS_HINT);
        }
    }

    /** Refuses a file that other users of this machine may read. */
    private static void refuseShared(Path file, String rule) throws IOException, Refusal {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null && !OWNERS.containsAll(view.readAttributes().permissions())) {
            throw new Refusal(rule, file + " may be read or written by others than its owner (its permissions are "
                    + PosixFilePermissions.toString(view.readAttributes().permissions()) + ")", "chmod 600 " + file);
        }
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "there is none" : e instanceof AccessDeniedException ? "access is denied"
                : e instanceof CharacterCodingException ? "it is not UTF-8 text" : e.getMessage();
    }
}
