package io.despina.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Resources that are threads of this JVM, over real sockets. */
class MembersTest {
    private static final String TWO = """
            {"format": 1, "resources": {"a": {"host": "127.0.0.1"}, "b": {"host": "127.0.0.1"}},
             "place": {"relay": ["b"], "*": ["a"]}}
            """;

    private static final String DEPLOYED = Json.object().put("deployment_text", TWO).toString();

    @Test
    void jobsRunAndEndOverSockets() throws Exception {
        try (Coordinator coordinator = new Coordinator(ResourceMain::startThread)) {
            int threads = 0;
            for (int k = 0; k < cycles(); k++) {
                String job = start(coordinator, Graphs.relay(2_000), DEPLOYED);
                JsonNode end = coordinator.await(job, 60_000);
                assertEquals("done", end.path("state").asText(), end.toString());
                assertEquals(2_000, end.at("/operators/sink/packets_in").asLong());
                threads = k == 2 ? Thread.activeCount() : threads;
            }
            assertTrue(Thread.activeCount() <= threads + 2, threads + " threads became " + Thread.activeCount());
        }
    }

    @Test
    void aScheduleChangesWhileItRuns() throws Exception {
        try (Coordinator coordinator = new Coordinator()) {
            String job = start(coordinator, Graphs.relay(-1), "{}");
            while (!coordinator.status(job).path("state").asText().equals("running")) {
                coordinator.await(job, 10);
            }
            coordinator.setSchedule(job, "relay", "{\"type\": \"periodic\", \"every_ms\": 5}");
            assertEquals("schedule", refusal(() -> coordinator.setSchedule(job, "relay", "{\"type\": \"never\"}")).rule());
            coordinator.stop(job, "now");
            assertEquals("stopped", coordinator.await(job, 60_000).path("state").asText());
            assertEquals("state", refusal(() -> coordinator.setSchedule(job, "relay", "{\"type\": \"data\"}")).rule());
        }
    }

    @Test
    void whoDoesNotKnowTheSecretIsNotLetIn() throws Exception {
        AtomicReference<String> said = new AtomicReference<>();
        try (Coordinator coordinator = new Coordinator((resource, arguments, secret) -> {
            int colon = arguments.get(3).lastIndexOf(':');
            int port = Integer.parseInt(arguments.get(3).substring(colon + 1));
            ResourceAgent stranger = ResourceAgent.withWire("stranger", 128 << 20, "another secret of 32 characters", "127.0.0.1");
            try {
                stranger.connect("127.0.0.1", port, null);
            } catch (java.io.IOException e) {
                said.set(e.getMessage());
            } finally {
                stranger.close(5_000);
            }
            throw new Refusal("resource_start", "a stranger was at the door", null);
        })) {
            Refusal refused = refusal(() -> start(coordinator, Graphs.relay(1), DEPLOYED));
            assertEquals("resource_start", refused.rule());
        }
        assertTrue(said.get() != null && said.get().contains("secret"), said.get());
    }

    private static int cycles() {
        String given = System.getenv("DESPINA_CYCLES");
        return given == null ? 8 : Integer.parseInt(given);
    }

    private static String start(Coordinator coordinator, String graph, String options) throws Refusal {
        JsonNode answer = coordinator.run(graph, "test", options);
        assertTrue(answer.has("job"), answer.toString());
        return answer.get("job").asText();
    }

    /** What must be refused. */
    private interface Call {
        Object call() throws Refusal;
    }

    private static Refusal refusal(Call call) {
        try {
            throw new AssertionError("not refused: " + call.call());
        } catch (Refusal e) {
            return e;
        }
    }
}
