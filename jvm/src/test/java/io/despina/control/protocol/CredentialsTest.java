package io.despina.control.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsTest {
    private static final String SECRET = "0123456789abcdef";

    @Test
    void theEnvironmentHoldsTheSecretWhereNoFileIsNamed(@TempDir Path folder) throws Exception {
        assertEquals(SECRET, Credentials.secret(null, " " + SECRET + "\n"));
        assertNull(Credentials.secret(null, null));
        Path file = Files.writeString(folder.resolve("secret"), "another of " + SECRET);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals("another of " + SECRET, Credentials.secret(file.toString(), SECRET));
    }

    @Test
    void aSecretOfTheEnvironmentIsHeldToTheSameRules() {
        assertEquals("the secret in DESPINA_SECRET has 5 bytes; at least 16 are needed", refused("short").getMessage());
        assertEquals("the secret in DESPINA_SECRET has several lines", refused(SECRET + "\n" + SECRET).getMessage());
    }

    @Test
    void theTokenOfAServiceIsInAFileOfItsOwnersOrInTheEnvironment(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "of_the_file\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> variables = Map.of("DESPINA_TOKEN", "of_the_variable", "DESPINA_TOKEN_FILE", file.toString());
        assertEquals("of_the_file", Credentials.token(file.toString(), variables));
        assertEquals("of_the_variable", Credentials.token(null, variables));
        assertEquals("of_the_file", Credentials.token(null, Map.of("DESPINA_TOKEN_FILE", file.toString())));
        assertEquals("there is no token for the service", refusedToken(null).getMessage());
        Files.writeString(file, "two\nlines");
        assertEquals("what is in " + file + " is no token of a service", refusedToken(file).getMessage());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertEquals("chmod 600 " + file, refusedToken(file).hint());
    }

    private static Refusal refusedToken(Path file) {
        return assertThrows(Refusal.class, () -> Credentials.token(file == null ? null : file.toString(), Map.of()));
    }

    private static Refusal refused(String given) {
        return assertThrows(Refusal.class, () -> Credentials.secret(null, given));
    }
}
