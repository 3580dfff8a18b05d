package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Guesses from a graph's text before it is checked, so that resources can start in parallel. */
final class GraphPreview {
    private static final Set<String> PLAIN = Set.of("relay", "union", "discard_sink", "collect_sink", "console_sink",
            "file_source",
            "file_sink");

    private GraphPreview() {
    }

    /** The graph's name in the text; {@code graph} if there is none. */
    static String name(String graphText) {
        try {
            return GivenJson.parseObject(graphText, "graph").path("name").asText("graph");
        } catch (Refusal notEvenJson) {
            return "graph";
        }
    }

    /**
     * The resources that will probably compile expressions. A wrong guess only costs time.
     *
     * @param deployment null if there is none
     */
    static Set<String> compiling(String graphText, Deployment deployment) {
        Set<String> names = new HashSet<>();
        if (deployment == null) {
            return names;
        }
        try {
            JsonNode operators = GivenJson.parseObject(graphText, "graph").path("operators");
            for (Map.Entry<String, JsonNode> operator : operators.properties()) {
                if (compiles(operator.getValue())) {
                    names.addAll(hosts(operator.getKey(), deployment));
                }
            }
        } catch (Refusal notEvenJson) {
            names.clear();
        }
        return names;
    }

    /**
     * Whether every operator that the deployment places seems to be in the graph.
     *
     * @param deployment null if there is none
     */
    static boolean places(String graphText, Deployment deployment) {
        if (deployment == null) {
            return true;
        }
        try {
            JsonNode operators = GivenJson.parseObject(graphText, "graph").path("operators");
            return deployment.rules().stream().map(Deployment.PlaceRule::operator)
                    .allMatch(o -> o.equals("*") || operators.has(o));
        } catch (Refusal notEvenJson) {
            return false;
        }
    }

    private static boolean compiles(JsonNode operator) {
        String type = operator.path("type").asText();
        if (type.equals("generator_source")) {
            JsonNode select = operator.path("rows").path("select");
            return select.size() > 1 || select.size() == 1 && !select.path(0).asText().equals("id");
        }
        return !PLAIN.contains(type);
    }

    private static List<String> hosts(String operator, Deployment deployment) {
        List<String> placed = deployment.placed(operator);
        return placed == null ? deployment.names() : placed;
    }
}
