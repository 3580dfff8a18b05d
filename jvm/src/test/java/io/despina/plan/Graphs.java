package io.despina.plan;

import io.despina.catalogue.Catalogue;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Small graphs, planned with {@link ColumnsCompiler}. */
public final class Graphs {
    private static final String SOURCE = "{\"type\": \"file_source\", \"path\": \"in\", \"format\": \"csv\", "
            + "\"schema\": \"ts TIMESTAMP, index BIGINT, a INT, name STRING\", "
            + "\"event_time\": {\"column\": \"ts\", \"max_delay_ms\": 7, \"order_by\": [\"index\"]}%s}";

    private Graphs() {
    }

    /** A source of (ts, index, a, name) with event time; {@code more} is put into it. */
    public static String source(String more) {
        return SOURCE.formatted(more);
    }

    /** @param links {@code from->to}, then perhaps a space and more fields of the link */
    public static Checked<Plan> plan(Map<String, String> operators, String... links) {
        return plan(Set.of(), operators, links);
    }

    /** The same, where a program gives rows to an operator. */
    public static Checked<Plan> fed(String input, Map<String, String> operators, String... links) {
        return plan(Set.of(input), operators, links);
    }

    /** What {@link #plan} plans. */
    public static Graph graph(Map<String, String> operators, String... links) {
        List<String> written = new ArrayList<>();
        for (String link : links) {
            String[] parts = link.split("->| ", 3);
            written.add("{\"from\": \"" + parts[0] + "\", \"to\": \"" + parts[1] + "\""
                    + (parts.length == 3 ? ", " + parts[2] : "") + "}");
        }
        List<String> named = operators.entrySet().stream().map(e -> "\"" + e.getKey() + "\": " + e.getValue()).toList();
        String text = "{\"format\": 1, \"name\": \"g\", \"operators\": {" + String.join(",", named) + "}, \"links\": ["
                + String.join(",", written) + "]}";
        return Catalogue.DESCRIPTOR.load(text, "g", Map.of()).value();
    }

    private static Checked<Plan> plan(Set<String> inputs, Map<String, String> operators, String... links) {
        return Planner.plan(graph(operators, links), Catalogue::planner,
                s -> new ColumnsCompiler(), new PlanOptions(Target.ENGINE, "/data", inputs));
    }

    /** The plan, which has no errors. */
    public static Plan sound(Checked<Plan> checked) {
        if (!checked.ok()) {
            throw new AssertionError(checked.render());
        }
        return checked.value();
    }
}
