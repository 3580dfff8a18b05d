package io.despina.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoordinatorTest {
    private static final long LONG = 60_000;

    private final Coordinator coordinator = new Coordinator();

    @AfterEach
    void close() {
        coordinator.close();
    }

    @Test
    void aRelayRunsToItsEndInThisJvm() throws Exception {
        JsonNode end = run(Graphs.relay(100_000), Json.object());
        assertEquals("done", end.path("state").asText(), end.toString());
        assertEquals(100_000, end.at("/operators/sink/packets_in").asLong());
        assertTrue(end.path("first_packet_s").asDouble(-1) >= 0, end.toString());
    }

    private JsonNode run(String graph, ObjectNode options) throws Refusal {
        ObjectNode answer = coordinator.run(graph, "test.graph.json", options.toString());
        assertTrue(answer.has("job"), answer.toString());
        return coordinator.await(answer.get("job").asText(), LONG);
    }
}
