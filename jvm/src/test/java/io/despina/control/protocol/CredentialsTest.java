package io.despina.control.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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

    private static Refusal refused(String given) {
        return assertThrows(Refusal.class, () -> Credentials.secret(null, given));
    }
}
