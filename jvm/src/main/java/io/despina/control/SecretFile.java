package io.despina.control;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The secret that coordinator and resources of a deployment have in common: one line of text. */
final class SecretFile {
    private static final int LEAST_BYTES = 16;
    private static final String HINT = "make one, and give the same to every resource: openssl rand -hex 32 > F; chmod 600 F";

    private SecretFile() {
    }

    /** Reads it; white space around it is no part of it. */
    static String read(String file) throws Refusal {
        try {
            String secret = Files.readString(Path.of(file)).strip();
            int bytes = secret.getBytes(StandardCharsets.UTF_8).length;
            if (bytes < LEAST_BYTES) {
                throw new Refusal("secret_file", "the secret in " + file + " has " + bytes + " bytes; at least " + LEAST_BYTES
                        + " are needed", HINT);
            }
            if (secret.lines().count() > 1) {
                throw new Refusal("secret_file", "the secret in " + file + " has several lines", HINT);
            }
            return secret;
        } catch (IOException e) {
            throw new Refusal("secret_file", "cannot read the secret file " + file + ": " + reason(e), HINT);
        }
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "there is none" : e instanceof AccessDeniedException ? "access is denied"
                : e instanceof CharacterCodingException ? "it is not UTF-8 text" : e.getMessage();
    }
}
