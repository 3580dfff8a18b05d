package io.despina.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.registry.RegistryException.Why;
import io.despina.socket.HttpLogin;
import io.despina.socket.TlsFiles;
import io.despina.wire.Certificates;
import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class RegistryClientTest {
    private static final String SCHEMA = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[]}";

    private final FakeRegistry registry = made();

    private static FakeRegistry made() {
        try {
            return new FakeRegistry();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private RegistryClient client() {
        return new RegistryClient(registry.place(), 10_000);
    }

    private static void assertWhy(Why why, String words, Executable call) {
        RegistryException failed = assertThrows(RegistryException.class, call);
        assertEquals(why, failed.why(), failed.getMessage());
        assertTrue(failed.getMessage().endsWith(words), failed.getMessage());
    }

    @Test
    void schemasHaveNumbersAndSubjects() throws IOException {
        registry.schema(7, "readings-value", SCHEMA).schema(8, "p", "PROTOBUF", "message M {}",
                "[{\"name\": \"o.proto\", \"subject\": \"other\", \"version\": 3}]");
        assertEquals(new RegistryClient.Found("AVRO", SCHEMA, List.of()), client().schema(7));
        assertEquals(new RegistryClient.Found("PROTOBUF", "message M {}",
                List.of(new RegistryClient.Reference("other", 3))), client().schema(8));
        assertEquals(7, client().latest("readings-value"));
        assertEquals(7, client().register("readings-value", SCHEMA));
        assertEquals(7, client().find("readings-value", SCHEMA));
        int fresh = client().register("plant/a b:c-value", SCHEMA);
        assertEquals(SCHEMA, client().schema(fresh).text());
        assertEquals("POST /subjects/plant%2Fa%20b%3Ac-value/versions", registry.requests.get(5));
    }

    @Test
    void oneThatHasManySubjectsIsNotAskedForAll() throws IOException {
        client().probe();
        assertEquals(List.of("GET /schemas/types"), registry.requests);
        registry.saying("{}");
        assertWhy(Why.REFUSED, "gives no types of schemas", () -> client().probe());
    }

    @Test
    void theTimeIsForTheWholeAnswer() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread serving = new Thread(() -> drip(server));
            serving.setDaemon(true);
            serving.start();
            RegistryPlace slow = new RegistryPlace("http://127.0.0.1:" + server.getLocalPort(), null, null);
            assertWhy(Why.AWAY, "does not answer within 300 ms", () -> new RegistryClient(slow, 300).schema(7));
        }
    }

    /** A byte, and another, so that the next is always near. */
    private static void drip(ServerSocket server) {
        try (Socket socket = server.accept(); OutputStream out = socket.getOutputStream()) {
            socket.getInputStream().readNBytes(3);
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.setSoTimeout(20);
            for (int k = 0; k < 1_000; k++) {
                out.write(' ');
                waitForNothing(socket);
            }
        } catch (IOException leftByThePeer) {
            return;
        }
    }

    private static void waitForNothing(Socket socket) throws IOException {
        try {
            while (socket.getInputStream().read() >= 0) {
                continue;
            }
            throw new IOException("it has gone");
        } catch (SocketTimeoutException nothing) {
            return;
        }
    }

    @Test
    void whatItDoesNotHaveIsUnknown() {
        assertWhy(Why.UNKNOWN, "does not have schema 9: Schema not found", () -> client().schema(9));
        assertWhy(Why.UNKNOWN, "does not have subject `s`: Subject not found", () -> client().latest("s"));
        assertWhy(Why.UNKNOWN, "does not have this schema under the subject `s`: Schema not found",
                () -> client().find("s", SCHEMA));
    }

    @Test
    void aLoginIsSentAndNeverTold() throws IOException {
        registry.schema(7, "s", SCHEMA).wanting(HttpLogin.basic("me", "pass:wörd"));
        assertWhy(Why.REFUSED, "does not take the login (401): it wants one, and there is none", () -> client().schema(7));
        RegistryPlace wrong = new RegistryPlace(registry.url(), () -> HttpLogin.basic("me", "secret"), null);
        for (Executable call : List.<Executable>of(() -> new RegistryClient(wrong, 10_000).schema(7),
                () -> new RegistryClient(wrong, 10_000).register("s", SCHEMA))) {
            assertWhy(Why.REFUSED, "does not take the login (401): not now", call);
        }
        RegistryPlace right = new RegistryPlace(registry.url(), () -> HttpLogin.basic("me", "pass:wörd"), null);
        assertEquals(SCHEMA, new RegistryClient(right, 10_000).schema(7).text());
        RegistryPlace missing = new RegistryPlace(registry.url(), () -> {
            throw new IOException("the environment of this resource has no variable SECRET");
        }, null);
        assertWhy(Why.REFUSED, "`registry`: the environment of this resource has no variable SECRET",
                () -> new RegistryClient(missing, 10_000).schema(7));
    }

    @Test
    void oneThatIsAwayMayBeAskedAgain() throws IOException {
        registry.schema(7, "s", SCHEMA).failing(503, 500, 429, 408, 403, 409, 302);
        for (int code : new int[] {503, 500, 429, 408}) {
            RegistryException away = assertThrows(RegistryException.class, () -> client().schema(7));
            assertEquals(Why.AWAY, away.why());
            assertTrue(away.getMessage().contains("answers " + code), away.getMessage());
        }
        assertWhy(Why.REFUSED, "does not allow it (403): not now", () -> client().schema(7));
        assertWhy(Why.REFUSED, "answers 409 for subject `s`: not now", () -> client().register("s", SCHEMA));
        assertWhy(Why.REFUSED, "answers 302 for schema 7: not now", () -> client().schema(7));
        String gone = registry.url();
        registry.close();
        RegistryException away = assertThrows(RegistryException.class,
                () -> new RegistryClient(new RegistryPlace(gone, null, null), 10_000).schema(7));
        assertEquals(Why.AWAY, away.why());
        assertTrue(away.getMessage().startsWith("`registry` " + gone + " does not answer: "), away.getMessage());
    }

    @Test
    void whatIsNoRegistryIsRefused() {
        registry.saying("<html>");
        assertWhy(Why.REFUSED, "does not answer as a registry does: what it sends is no JSON", () -> client().schema(7));
        registry.saying("{}");
        assertWhy(Why.REFUSED, "gives no text for schema 7", () -> client().schema(7));
        assertWhy(Why.REFUSED, "gives no number for the subject `s`", () -> client().register("s", SCHEMA));
        registry.saying("[" + " ".repeat(4 << 20) + "]");
        assertWhy(Why.REFUSED, "answers with more than 4194304 bytes", () -> client().schema(7));
    }

    @Test
    void tlsBelievesWhomItIsToldTo(@TempDir Path folder) throws Exception {
        Certificates.in(folder, "ip:127.0.0.1");
        SSLContext context = new TlsFiles(folder.resolve(Tls.CERTIFICATE).toString(), folder.resolve(Tls.KEY).toString(),
                folder.resolve(Tls.AUTHORITY).toString()).context();
        try (ServerSocket server = context.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread serving = new Thread(() -> serve(server));
            serving.setDaemon(true);
            serving.start();
            String url = "https://127.0.0.1:" + server.getLocalPort();
            RegistryPlace believing = new RegistryPlace(url, null,
                    new TlsFiles(null, null, folder.resolve(Tls.AUTHORITY).toString()));
            assertEquals("x", new RegistryClient(believing, 10_000).schema(1).text());
            assertEquals(Why.AWAY, assertThrows(RegistryException.class,
                    () -> new RegistryClient(new RegistryPlace(url, null, null), 10_000).schema(1)).why());
            RegistryPlace lost = new RegistryPlace(url, null, new TlsFiles(null, null, folder.resolve("none.pem").toString()));
            assertWhy(Why.REFUSED, "none.pem", () -> new RegistryClient(lost, 10_000).schema(1));
        }
    }

    private static void serve(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept(); OutputStream out = socket.getOutputStream()) {
                byte[] head = new byte[8192];
                if (socket.getInputStream().read(head) > 0) {
                    out.write("HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{\"schema\": \"x\"}"
                            .getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException refusedByThePeer) {
                continue;
            }
        }
    }
}
