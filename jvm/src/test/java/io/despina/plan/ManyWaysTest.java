package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import io.despina.descriptor.Diagnostic;
import io.despina.expr.Expressions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream that is divided and brought together 60 times has 2^60 ways through the graph; planning takes each operator once. */
@Timeout(60)
class ManyWaysTest {
    private static final int TIMES = 60;

    private static List<Diagnostic> planned(String time, String last, String... lastLinks) {
        List<String> operators = new ArrayList<>(List.of("\"source\": {\"type\": \"generator_source\", \"rows\": "
                + "{\"type\": \"select\", \"select\": [\"id\", \"timestamp_millis(-id) AS ts\", "
                + "\"array(timestamp_millis(id)) AS all\"]}" + time + "}",
                "\"u0\": {\"type\": \"explode\", \"of\": \"all\", \"as\": \"each\"}", "\"last\": " + last,
                "\"out\": {\"type\": \"discard_sink\"}"));
        List<String> links = new ArrayList<>(List.of(lastLinks));
        links.addAll(List.of("source->u0", "last->out"));
        for (int k = 0; k < TIMES; k++) {
            operators.addAll(List.of("\"a" + k + "\": {\"type\": \"relay\"}", "\"b" + k + "\": {\"type\": \"relay\"}",
                    "\"u" + (k + 1) + "\": {\"type\": \"union\"}"));
            links.addAll(List.of("u" + k + "->a" + k, "u" + k + "->b" + k, "a" + k + "->u" + (k + 1), "b" + k + "->u" + (k + 1)));
        }
        List<String> written = links.stream().map(link -> link.split("->"))
                .map(ends -> "{\"from\": \"" + ends[0] + "\", \"to\": \"" + ends[1] + "\"}").toList();
        String text = "{\"format\": 1, \"name\": \"g\", \"operators\": {" + String.join(", ", operators) + "}, \"links\": ["
                + String.join(", ", written) + "]}";
        return Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", Map.of()).value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone()), new PlanOptions(Target.ENGINE, "/", Set.of())).diagnostics();
    }

    private static List<String> rules(List<Diagnostic> found) {
        return found.stream().map(Diagnostic::rule).toList();
    }

    @Test
    void whatIsWarnedOfIsFoundOnEachWayOnce() {
        String time = ", \"event_time\": {\"column\": \"ts\", \"order_by\": [\"id\"]}";
        String single = "{\"type\": \"deduplicate\", \"by\": [\"id\"], \"within_ms\": 10}";
        assertEquals(List.of("element_time", "late"), rules(planned(time, single, "u60->last")));
        String join = "{\"type\": \"join\", \"on\": \"left.id = right.id\", \"as_of\": {}, \"select\": [\"left.id AS id\"]}";
        assertEquals(List.of("element_time", "late"), rules(planned(time, join, "u60->last.left", "source->last.right")));
    }

    @Test
    void aTimeThatNoSourceHasIsLookedForOnce() {
        List<Diagnostic> found = planned("", "{\"type\": \"deduplicate\", \"by\": [\"id\"], \"within_ms\": 10}", "u60->last");
        assertTrue(found.get(0).hint().startsWith("no source names one"), found::toString);
    }
}
