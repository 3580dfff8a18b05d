package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real child JVMs over TCP on 127.0.0.1; each test proves that none is left. */
class ChildResourcesTest {
    private static final long LONG = 60_000;
    private static final String TWO = """
            {"format": 1,
             "resources": {"near": {"host": "127.0.0.1"}, "far": {"host": "127.0.0.1"}},
             "place": {"source": ["near"], "relay": ["far"], "sink": ["near"]}}
            """;

    private final Coordinator coordinator = new Coordinator();
    private final List<Long> children = new ArrayList<>();

    @AfterEach
    void closeAndLeaveNothingBehind() {
        coordinator.close();
        children.forEach(pid -> assertFalse(isAlive(pid), "process " + pid + " is left"));
    }

    @Test
    void aRelayRunsThroughTwoResourcesAndASecondJobUsesThemToo() throws Exception {
        JsonNode first = end(run(JobGraphs.relay(200_000), TWO));
        assertEquals("done", first.path("state").asText(), first.toString());
        assertEquals(200_000, first.at("/operators/sink/packets_in").asLong());
        assertTrue(first.at("/links/relay->sink/bytes_on_wire").asLong() > 0, first.toString());
        assertEquals(2, first.path("resources").size());
        JsonNode second = end(run(JobGraphs.relay(1_000), TWO));
        assertEquals("done", second.path("state").asText(), second.toString());
        for (String resource : List.of("near", "far")) {
            assertEquals(first.at("/resources/" + resource + "/pid"), second.at("/resources/" + resource + "/pid"));
        }
    }

    @Test
    void aResourceThatIsKilledFailsTheJobByNameAndItIsStartedAgainOnTheOneThatIsLeftAndANewOne() throws Exception {
        String job = run(JobGraphs.endless(), TWO);
        awaitPackets(job);
        assertEquals("state", assertThrows(Refusal.class, () -> coordinator.startAgain(job)).rule());
        JsonNode before = coordinator.status(job).path("resources");
        ProcessHandle.of(before.at("/far/pid").asLong()).orElseThrow().destroyForcibly();
        JsonNode failed = end(job);
        assertEquals("failed", failed.path("state").asText(), failed.toString());
        assertEquals("resource_lost", failed.at("/error/rule").asText(), failed.toString());
        assertTrue(failed.at("/error/message").asText().contains("`far`"), failed.toString());

        assertEquals(2, coordinator.startAgain(job).path("attempt").asInt());
        awaitPackets(job);
        coordinator.stop(job, "drain");
        JsonNode end = end(job);
        assertEquals("stopped", end.path("state").asText(), end.toString());
        assertEquals(2, end.path("attempt").asInt());
        assertEquals(end.at("/operators/source/packets_out"), end.at("/operators/sink/packets_in"));
        assertEquals(before.at("/near/pid"), end.at("/resources/near/pid"));
        assertNotEquals(before.at("/far/pid"), end.at("/resources/far/pid"));

        JsonNode another = end(run(JobGraphs.relay(1_000), TWO));
        assertEquals("done", another.path("state").asText(), another.toString());
    }

    @Test
    void aSpareTakesThePartOfAResourceThatIsKilled(@TempDir Path folder) throws Exception {
        coordinator.restarts(submission -> true);
        ObjectNode options = Json.object().put("spares", 1).put("state", folder.toString()).put("epoch_ms", 100)
                .put("deployment_text", TWO.replace("\"far\": {", "\"far\": {\"memory_bytes\": 100000000, "));
        String job = coordinator.run(JobGraphs.endless(), "test.graph.json", options.toString()).path("job").asText();
        awaitPackets(job);
        JsonNode status = coordinator.status(job);
        while (status.path("spares").asInt() < 1) {
            coordinator.await(job, 20);
            status = coordinator.status(job);
        }
        JsonNode before = status.path("resources");
        Set<Long> there = processes();
        ProcessHandle.of(before.at("/far/pid").asLong()).orElseThrow().destroyForcibly();
        JsonNode end = afterItsRestart(job);
        assertEquals(before.at("/near/pid"), end.at("/resources/near/pid"));
        assertNotEquals(before.at("/far/pid"), end.at("/resources/far/pid"));
        assertTrue(there.contains(end.at("/resources/far/pid").asLong()), "it stood by");
        assertEquals("resource_lost", end.at("/last_restart/why/rule").asText(), end.toString());
        assertTrue(end.at("/last_restart/why/message").asText().contains("signal 9"), end.toString());
    }

    private static Set<Long> processes() {
        return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }

    @Test
    void sparesAreRefusedWhereNobodyCouldBeReplaced() {
        assertEquals("spares=1: spares play the part of children of the command, and without a deployment there is none",
                refusal(Json.object().put("spares", 1).put("state", "s")));
        assertEquals("spares=1: spares play the part of children of the command, and no resource of the deployment is one",
                refusal(Json.object().put("spares", 1).put("state", "s").put("deployment_text",
                "{\"format\": 1, \"resources\": {\"a\": {\"start\": \"join\", \"control_port\": 7000}}}")));
        assertEquals("spares=1: resource `b` has processors of its own, and a spare runs on others",
                refusal(Json.object().put("spares", 1).put("state", "s").put("deployment_text",
                "{\"format\": 1, \"resources\": {\"a\": {}, \"b\": {\"cpus\": \"0\"}}}")));
        assertEquals("spares is about the state of a job, and this one keeps none", refusal(Json.object().put("spares", 1)));
        assertEquals("spares=-1 is no number from 0 on", refusal(Json.object().put("spares", -1).put("state", "s")));
    }

    private String refusal(ObjectNode options) {
        return assertThrows(Refusal.class, () -> coordinator.run(JobGraphs.relay(1), "test", options.toString())).getMessage();
    }

    @Test
    void aSurvivorTakesThePartOfAResourceThatIsKilled() throws Exception {
        coordinator.restarts(submission -> true);
        String job = run(JobGraphs.endless(), TWO.replace("\"place\"", "\"on_loss\": \"move\", \"place\""));
        awaitPackets(job);
        JsonNode before = coordinator.status(job).path("resources");
        ProcessHandle.of(before.at("/far/pid").asLong()).orElseThrow().destroyForcibly();
        JsonNode end = afterItsRestart(job);
        assertEquals(1, end.path("resources").size());
        assertEquals(before.at("/near/pid"), end.at("/resources/near/pid"));
    }

    /** Waits until it runs again, and stops it. */
    private JsonNode afterItsRestart(String job) throws Exception {
        while (coordinator.status(job).path("restarts").asInt() == 0
                || !coordinator.status(job).path("state").asText().equals("running")) {
            JsonNode status = coordinator.await(job, 20);
            assertFalse(coordinator.hasEnded(job), status.toString());
        }
        awaitPackets(job);
        coordinator.stop(job, "drain");
        JsonNode end = end(job);
        assertEquals("stopped", end.path("state").asText(), end.toString());
        assertEquals(2, end.path("attempt").asInt());
        assertEquals(1, end.path("restarts").asInt());
        assertEquals(end.at("/operators/source/packets_out"), end.at("/operators/sink/packets_in"));
        assertTrue(end.at("/last_restart/deployed_ms").asLong() > 0, end.toString());
        System.out.println("restart: " + end.path("last_restart"));
        return end;
    }

    @Test
    void stoppingDrainsWhatIsInFlight() throws Exception {
        String job = run(JobGraphs.relay(-1), TWO);
        awaitPackets(job);
        coordinator.stop(job, "drain");
        JsonNode end = end(job);
        assertEquals("stopped", end.path("state").asText(), end.toString());
        assertEquals(end.at("/operators/source/packets_out"), end.at("/operators/sink/packets_in"));
    }

    @Test
    void aControlPortInUseIsRefusedByName() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String deployment = TWO.replace("\"far\": {", "\"far\": {\"control_port\": " + taken.getLocalPort() + ", ");
            JsonNode answer = answer(JobGraphs.relay(10), deployment);
            assertEquals("port_in_use", answer.at("/error/rule").asText(), answer.toString());
            assertTrue(answer.at("/error/message").asText().contains(Integer.toString(taken.getLocalPort())), answer.toString());
        }
    }

    @Test
    void aResourceThatCannotStartSaysWhy() throws Exception {
        String deployment = TWO.replace("\"far\": {", "\"far\": {\"memory_bytes\": 9000000000000000, ");
        JsonNode end = end(run(JobGraphs.relay(10), deployment));
        assertEquals("failed", end.path("state").asText(), end.toString());
        assertEquals("resource_start", end.at("/error/rule").asText(), end.toString());
        assertTrue(end.at("/error/message").asText().contains("`far`"), end.toString());
        assertTrue(end.at("/error/message").asText().contains("heap"), end.toString());
    }

    private String run(String graph, String deployment) throws Refusal {
        JsonNode answer = answer(graph, deployment);
        assertTrue(answer.has("job"), answer.toString());
        return answer.get("job").asText();
    }

    private ObjectNode answer(String graph, String deployment) {
        try {
            return coordinator.run(graph, "test.graph.json", Json.object().put("deployment_text", deployment).toString());
        } catch (Refusal e) {
            return e.json();
        }
    }

    private JsonNode end(String job) throws Refusal {
        JsonNode end = coordinator.await(job, LONG);
        end.path("resources").forEach(r -> children.add(r.path("pid").asLong()));
        return end;
    }

    private void awaitPackets(String job) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONG);
        while (coordinator.status(job).at("/operators/sink/packets_in").asLong() == 0) {
            JsonNode status = coordinator.await(job, 20);
            assertTrue(System.nanoTime() < deadline && !status.path("state").asText().equals("failed"), status.toString());
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
