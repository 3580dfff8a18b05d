package io.despina.control.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.coordinator.Coordinator;
import io.despina.control.process.ResourceMain;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.operator.sink.file.ShownFiles;
import io.despina.placement.Deployment;
import io.despina.wire.handshake.Secret;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A resource that joins a running job is used. */
class LateResourceTest {
    /** For four seconds: the resource joins after a third of one, with time to spare on a busy machine. */
    private static final int ROWS = 12_000;
    private static final int BEFORE = 1_000;
    private static final long MILLIS = 60_000;
    private static final String GRAPH = """
            {"format": 1, "name": "growing", "operators": {
             "made": {"type": "generator_source", "rows": {"type": "select", "select": ["id", "id %% 7 AS key"]}, "count": %d,
              "rate_per_s": 3000},
             "counted": {"type": "aggregate", "group_by": ["key"], "select": ["key", "count(*) AS n"]},
             "kept": {"type": "file_sink", "format": "csv", "path": "OUT"}},
             "links": [{"from": "made", "to": "counted", "fuse": false}, {"from": "counted", "to": "kept", "fuse": false}]}""";
    /** Near there is next to no room. */
    private static final String PLACES = """
            {"format": 1, "resources": {
              "near": {"machine": {"cpus": 0.00001}},
              "far": {"start": "join", "host": "127.0.0.1", "control_port": %d, "machine": {"cpus": 1}}},
             "place": {"made": ["near"], "kept": ["near"]},
             "placing": {"type": "measured", "rates": {"made": 3000}, "late": ["far"]}}""";

    @TempDir
    private Path folder;

    private ObjectNode options(int port, Path secret) {
        return Json.object().put("deployment_text", PLACES.formatted(port)).put("deployment_file", "places")
                .put("secret_file", secret.toString());
    }

    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    private String graph() {
        return GRAPH.formatted(ROWS).replace("OUT", folder.resolve("out").toString());
    }

    @Test
    void theJobGoesOnWithItFromItsLastEpoch() throws Exception {
        String secret = Secret.random();
        int port = freePort();
        ObjectNode options = options(port, Secrets.write(folder, secret)).put("state", folder.resolve("state").toString())
                .put("epoch_ms", 50);
        try (Coordinator coordinator = new Coordinator(ResourceMain::startThread, Members.Patience.USUAL)) {
            String job = coordinator.run(graph(), "growing", Json.text(options)).path("job").asText();
            JsonNode status = coordinator.status(job);
            while (status.at("/operators/counted/packets_in").asLong() < BEFORE && !coordinator.hasEnded(job)) {
                status = coordinator.status(job);
            }
            assertEquals("[\"near\"]", status.at("/operators/counted/resources").toString(), status.toString());
            Deployment.Resource far = Deployment.load(PLACES.formatted(port), "d").value().resources().get(1);
            ResourceMain.startThread(far, List.of("--name", "far", "--join", "127.0.0.1:" + port, "--listen", "127.0.0.1"),
                    secret);
            JsonNode end = coordinator.await(job, MILLIS);
            assertEquals("done", end.path("state").asText(), end.toString());
            assertEquals(2, end.path("attempt").asInt(), end.toString());
            assertEquals("[\"far\"]", coordinator.status(job).at("/operators/counted/resources").toString());
            assertEquals("resource `far` has joined", end.at("/last_restart/why/message").asText(), end.toString());
        }
        assertEquals(IntStream.range(0, 7).mapToObj(key -> key + "," + IntStream.range(0, ROWS).filter(id -> id % 7 == key)
                .count()).toList(), ShownFiles.lines(folder.resolve("out")).stream().sorted().toList());
    }

    @Test
    void aJobThatCouldNotGoOnIsRefused() throws Exception {
        ObjectNode options = options(freePort(), Secrets.write(folder, Secret.random()));
        try (Coordinator coordinator = new Coordinator(ResourceMain::startThread, Members.Patience.USUAL)) {
            Refusal no = assertThrows(Refusal.class, () -> coordinator.run(graph(), "growing", Json.text(options)));
            assertTrue(no.getMessage().startsWith("resource `far` is late, and the job does not go on"), no.getMessage());
        }
    }
}
