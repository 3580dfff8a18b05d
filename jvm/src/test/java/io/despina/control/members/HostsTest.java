package io.despina.control.members;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostsTest {

    @Test
    void whoJoinsNeedsASecret() {
        assertEquals("resource `r0` joins, which needs a secret", refused("127.0.0.1", false, "127.0.0.2").getMessage());
        assertTrue(refused("127.0.0.1", false, "127.0.0.2").hint().contains("despina resource --name r0"));
        assertDoesNotThrow(() -> Hosts.check(resources("127.0.0.2"), "127.0.0.1", true));
    }

    @Test
    void anotherHostNeedsACoordinatorThatItReaches() {
        Refusal refused = refused("127.0.0.1", true, "10.0.0.5");
        assertTrue(refused.getMessage().contains("cannot reach the coordinator"), refused.getMessage());
        assertTrue(refused.hint().contains("--listen"), refused.hint());
        assertDoesNotThrow(() -> Hosts.check(resources("10.0.0.5", "10.0.0.6"), "0.0.0.0", true));
    }

    @Test
    void childrenAreReachedFromElsewhereOnlyWhereTheyListenThere() {
        Refusal refused = refused("0.0.0.0", true, "127.0.0.1", "10.0.0.5");
        assertEquals("resource `r0` at 127.0.0.1 is out of reach of `r1` at 10.0.0.5", refused.getMessage());
        List<Deployment.Resource> mixed = resources("127.0.0.1", "10.0.0.5");
        assertDoesNotThrow(() -> Hosts.check(mixed, "10.0.0.1", true));
        assertEquals("10.0.0.1", Hosts.ofChild(mixed, "10.0.0.1"));
        assertTrue(refused("10.0.0.1", true, "127.0.0.2", "10.0.0.5").getMessage().contains("127.0.0.2"));
    }

    @Test
    void whoStartsAResourceIsNotGuessedFromItsHost() {
        Deployment.Resource near = Deployment.load("{\"format\": 1, \"resources\": {\"r0\": {\"start\": \"join\","
                + " \"host\": \"127.0.0.1\", \"control_port\": 7000}}}", "d").value().resources().get(0);
        assertFalse(Hosts.isChild(near));
        assertTrue(Hosts.isChild(resources("127.0.0.1").get(0)));
    }

    @Test
    void whereAResourceIsThatTellsItAsItJoinsIsHeldToWhatOthersReach() {
        Deployment.Resource untold = resources("").get(0);
        assertDoesNotThrow(() -> Hosts.check(resources("", "10.0.0.5", "127.0.0.1"), "10.0.0.1", true));
        assertDoesNotThrow(() -> Hosts.check(resources("", "127.0.0.1"), "127.0.0.1", true));
        assertNull(Hosts.misplaced(untold, "10.0.0.5", "0.0.0.0"));
        assertNull(Hosts.misplaced(untold, "127.0.0.1", "127.0.0.1"));
        assertEquals("resource `r0` listens on 127.0.0.1, which tells no other machine where it is",
                Hosts.misplaced(untold, "127.0.0.1", "10.0.0.1").getMessage());
        assertEquals("listen", Hosts.misplaced(untold, "0.0.0.0", "127.0.0.1").rule());
        assertFalse(Hosts.shareAClock(resources("", "127.0.0.1")));
        assertTrue(Hosts.shareAClock(resources("")));
        assertTrue(Hosts.command(untold, "10.0.0.1", "F", null).contains(" --listen ITS_HOST "));
    }

    @Test
    void theCommandOfWhoJoinsGivesItWhatTheDeploymentDoes() {
        Deployment.Resource plain = resources("10.0.0.5").get(0);
        assertEquals("despina resource --name r0 --join THIS_HOST:7000 --secret-file F --listen 10.0.0.5 --memory 268435456",
                Hosts.command(plain, "0.0.0.0", "F", null));
        assertTrue(Hosts.command(large(), "10.0.0.1", "F", "T").contains(" --secret-file F --tls T --listen "));
        assertTrue(Hosts.command(large(), "10.0.0.1", "F", null).endsWith(" --memory 1073741824 --cores 4"));
    }

    @Test
    void whoJoinsHasTheMemoryAndTheCoresThatAreWritten() {
        assertNull(Hosts.misfit(resources("10.0.0.5").get(0), 1, 1));
        assertNull(Hosts.misfit(large(), 1 << 30, 4));
        assertEquals("resource `r0` has joined with cores=2, and the deployment says 4",
                Hosts.misfit(large(), 1 << 30, 2).getMessage());
        Refusal refused = Hosts.misfit(large(), 1 << 20, 4);
        assertEquals("memory", refused.rule());
        assertTrue(refused.hint().contains("--memory 1073741824"), refused.hint());
    }

    @Test
    void whoJoinsListensWhereTheDeploymentSays() {
        Deployment.Resource far = resources("10.0.0.5").get(0);
        assertNull(Hosts.misplaced(far, "10.0.0.5", "0.0.0.0"));
        assertNull(Hosts.misplaced(far, "0.0.0.0", "0.0.0.0"));
        assertNull(Hosts.misplaced(far, "far.example", "0.0.0.0"));
        assertEquals("resource `r0` listens on 127.0.0.1, and the deployment says 10.0.0.5",
                Hosts.misplaced(far, "127.0.0.1", "0.0.0.0").getMessage());
        assertEquals("start it with --listen 10.0.0.5", Hosts.misplaced(far, "10.0.0.6", "0.0.0.0").hint());
        Deployment.Resource named = resources("far.example").get(0);
        assertNull(Hosts.misplaced(named, "10.0.0.5", "0.0.0.0"));
        assertEquals("listen", Hosts.misplaced(named, "localhost", "0.0.0.0").rule());
        assertNull(Hosts.misplaced(resources("127.0.0.1").get(0), "10.0.0.5", "0.0.0.0"));
    }

    private static Deployment.Resource large() {
        return Deployment.load("{\"format\": 1, \"resources\": {\"r0\": {\"start\": \"join\", \"host\": \"10.0.0.5\", "
                + "\"control_port\": 7000,"
                + " \"memory_bytes\": 1073741824, \"cores\": 4}}}", "d").value().resources().get(0);
    }

    @Test
    void aSecretThatWillNotDoIsRefused(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("secret");
        assertTrue(secret(file).getMessage().contains("there is none"));
        Secrets.write(folder, " short \n");
        assertTrue(secret(file).getMessage().contains("has 5 bytes; at least 16"), secret(file).getMessage());
        Files.writeString(file, "0123456789abcdef\n0123456789abcdef\n");
        assertTrue(secret(file).getMessage().contains("several lines"));
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe});
        assertTrue(secret(file).getMessage().contains("UTF-8"));
        Files.write(file, " 0123456789abcdef\n".getBytes(StandardCharsets.UTF_8));
        assertEquals("0123456789abcdef", Credentials.secret(file.toString()));
    }

    @Test
    void aSecretThatOthersMayReadIsRefused(@TempDir Path folder) throws Exception {
        Path file = Secrets.write(folder, "0123456789abcdef");
        for (String permissions : List.of("rw-r-----", "rw----r--", "rw--w----")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
            Refusal refused = assertThrows(Refusal.class, () -> Credentials.secret(file.toString()));
            assertEquals("secret_file", refused.rule());
            assertTrue(refused.getMessage().contains(permissions), refused.getMessage());
            assertEquals("chmod 600 " + file, refused.hint());
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
        assertEquals("0123456789abcdef", Credentials.secret(file.toString()));
    }

    @Test
    void aKeyThatOthersMayReadIsRefused(@TempDir Path folder) throws Exception {
        Path key = Files.writeString(folder.resolve("key.pem"), "a key");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        Refusal refused = assertThrows(Refusal.class, () -> Credentials.tls(folder.toString()));
        assertEquals("tls", refused.rule());
        assertEquals("chmod 600 " + key, refused.hint());
    }

    private static Refusal secret(Path file) {
        Refusal refused = assertThrows(Refusal.class, () -> Credentials.secret(file.toString()));
        assertEquals("secret_file", refused.rule());
        assertTrue(refused.hint().contains("openssl"), refused.hint());
        return refused;
    }

    private static Refusal refused(String listen, boolean hasSecret, String... hosts) {
        return assertThrows(Refusal.class, () -> Hosts.check(resources(hosts), listen, hasSecret));
    }

    private static List<Deployment.Resource> resources(String... hosts) {
        List<String> written = new ArrayList<>();
        for (String host : hosts) {
            written.add("\"r" + written.size() + "\": {\"start\": \"" + (host.equals("127.0.0.1") ? "child" : "join")
                    + (host.isEmpty() ? "" : "\", \"host\": \"" + host) + "\", \"control_port\": 7000}");
        }
        return Deployment.load("{\"format\": 1, \"resources\": {" + String.join(", ", written) + "}}", "d").value().resources();
    }
}
