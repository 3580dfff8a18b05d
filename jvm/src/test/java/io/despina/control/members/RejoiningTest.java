package io.despina.control.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.coordinator.JobGraphs;
import io.despina.control.process.ResourceMain;
import io.despina.json.Json;
import io.despina.wire.handshake.Secret;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A resource that is kept comes back to a job that has lost it. Real processes and sockets. */
@Timeout(120)
class RejoiningTest {

    @Test
    void aResourceThatWasSilentForTooLongServesTheNextAttempt(@TempDir Path folder) throws Exception {
        Path secret = Secrets.write(folder, Secret.random());
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String deployment = """
                {"format": 1, "resources": {"a": {}, "b": {"start": "join", "control_port": %d}},
                 "place": {"relay": ["b"], "*": ["a"]}}
                """.formatted(port);
        Process kept = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), ResourceMain.class.getName(), "--name", "b", "--join", "127.0.0.1:" + port,
                "--secret-file", secret.toString(), "--memory", "134217728", "--keep", "true").inheritIO().start();
        try (Coordinator coordinator = new Coordinator()) {
            String job = coordinator.run(JobGraphs.endless(), "test", Json.object().put("deployment_text", deployment)
                    .put("secret_file", secret.toString()).toString()).path("job").asText();
            awaitPackets(coordinator, job);
            signal(kept.pid(), "STOP");
            JsonNode lost = coordinator.await(job, 60_000);
            assertEquals("resource `b` was lost: it sent nothing for 8 s", lost.at("/error/message").asText(),
                    lost.toString());

            // it is awaited, and wakes up in the attempt that is over
            assertEquals(2, coordinator.startAgain(job).path("attempt").asInt());
            signal(kept.pid(), "CONT");
            awaitPackets(coordinator, job);
            coordinator.stop(job, "drain");
            JsonNode end = coordinator.await(job, 60_000);
            assertEquals("stopped", end.path("state").asText(), end.toString());
            assertEquals(2, end.path("attempt").asInt());
            assertEquals(kept.pid(), end.at("/resources/b/pid").asLong());
            assertEquals(end.at("/operators/source/packets_out"), end.at("/operators/sink/packets_in"));
            assertEquals(end.at("/operators/relay/packets_in"), end.at("/operators/sink/packets_in"));
        } finally {
            new ProcessBuilder("kill", "-CONT", Long.toString(kept.pid())).start().waitFor();
            kept.destroy();
            assertTrue(kept.waitFor(20, TimeUnit.SECONDS), "it ends at SIGTERM");
        }
    }

    private static void awaitPackets(Coordinator coordinator, String job) throws Exception {
        JsonNode status = coordinator.status(job);
        while (status.at("/operators/sink/packets_in").asLong() == 0) {
            assertTrue(!status.path("state").asText().equals("failed"), status.toString());
            coordinator.await(job, 20);
            status = coordinator.status(job);
        }
    }

    private static void signal(long pid, String name) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor());
    }
}
