package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.placement.Deployment;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GraphPreviewTest {
    private static final String GRAPH = """
            {"format": 1, "name": "g", "operators": {
               "source": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}},
               "kept": {"type": "filter", "where": "id > 3"},
               "sink": {"type": "discard_sink"}},
             "links": []}""";

    private static Deployment deployment(String place) {
        return Deployment.load("{\"format\": 1, \"resources\": {\"a\": {\"host\": \"127.0.0.1\"}, \"b\": {\"host\": "
                + "\"127.0.0.1\"}}, \"place\": "
                + place + "}", "d").value();
    }

    @Test
    void whereExpressionsArePlaced() {
        assertEquals(Set.of("b"), GraphPreview.compiling(GRAPH, deployment("{\"kept\": [\"b\"], \"*\": [\"a\"]}")));
        assertEquals(Set.of("a"), GraphPreview.compiling(GRAPH, deployment("{\"sink\": [\"b\"], \"*\": [\"a\"]}")));
        assertEquals(Set.of("a", "b"), GraphPreview.compiling(GRAPH, deployment("{\"kept\": [\"a\", \"b\"]}")));
    }

    @Test
    void nowhereWithoutDeploymentOrGraph() {
        assertEquals(Set.of(), GraphPreview.compiling(GRAPH, null));
        assertEquals(Set.of(), GraphPreview.compiling("{", deployment("{}")));
    }
}
