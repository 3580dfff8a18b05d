package io.despina.control.visit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.despina.control.protocol.Refusal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceJobTest {
    private static final String TOKEN = "despina_0123456789";
    private static final String ADDRESS = "{\"host\": \"127.0.0.1\", \"port\": 7, \"job\": \"hot-1\","
            + " \"secret\": \"0123456789abcdef\", \"secret_file\": null, \"tls\": null}";

    /** What a service says. */
    private record Said(int status, String body) {
    }

    @TempDir
    Path folder;
    private final Queue<Said> says = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private HttpServer server;
    private String url;
    private Path token;

    @BeforeEach
    void begin() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort();
        token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        Said next = says.remove();
        asked.add(exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Authorization"));
        byte[] body = next.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(next.status(), body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private JobAddress address(String service, String job) throws Refusal {
        return ServiceJob.of(service, job, token.toString()).address();
    }

    private Refusal refused(String service) {
        Refusal why = assertThrows(Refusal.class, () -> address(service, "hot"));
        assertFalse(why.render().contains(TOKEN), why.render());
        return why;
    }

    @Test
    void theServiceSaysWhereTheJobIsAsSoonAsItRuns() throws Exception {
        says.add(new Said(503, "{\"diagnostics\": []}"));
        says.add(new Said(200, ADDRESS));
        JobAddress found = address(url + "/", "hot line");
        assertEquals(new JobAddress("127.0.0.1", 7, "hot-1", "0123456789abcdef", null, null), found);
        String question = "/api/v1/jobs/hot%20line/address Bearer " + TOKEN;
        assertEquals(List.of(question, question), asked);
        assertEquals("hot-1 at 127.0.0.1:7", found.toString(), "no secret");
    }

    @Test
    void whatItRefusesIsToldInItsWords() {
        says.add(new Said(409, "{\"diagnostics\": [{\"rule\": \"job_state\", \"message\": \"the job hot is stopped\","
                + " \"hint\": \"\"}]}"));
        assertEquals("error[job_state]: the job hot is stopped", refused(url).render());
        says.add(new Said(404, "<html>"));
        assertEquals("error[service]: " + url + " answered 404, which is no answer of a service\n  hint: is the address right?",
                refused(url).render());
    }

    @Test
    void aServiceThatIsNotThereIsTold() {
        server.stop(0);
        assertEquals("service_unreachable", refused(url).rule());
    }

    @Test
    void onlyAnAddressOfAServiceIsAsked() {
        for (String wrong : List.of("plant", "ftp://plant", "http://", "http://plant/path", "http://user:word@plant",
                "http://plant?a=b", "http://plant#a")) {
            assertEquals("option `service` is no address of a service", refused(wrong).getMessage(), wrong);
        }
        assertEquals(List.of(), asked);
    }
}
