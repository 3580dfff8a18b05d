package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UpstreamTest {
    private static final String ROUND_ROBIN = " \"partition\": {\"type\": \"round_robin\"}";

    private static Upstream of(Map<String, String> more, int sources, int sinks, String... links) {
        Map<String, String> operators = new TreeMap<>(more);
        operators.put("s", "{\"type\": \"generator_source\", \"rows\": {\"type\": \"packets\", \"packet_bytes\": 50}, "
                + "\"parallelism\": " + sources + "}");
        operators.put("out", "{\"type\": \"discard_sink\", \"parallelism\": " + sinks + "}");
        Plan plan = Graphs.sound(Graphs.plan(operators, links));
        return Upstream.of("out", plan::operator, plan.links());
    }

    private static String relay(int parallelism) {
        return "{\"type\": \"relay\", \"parallelism\": " + parallelism + "}";
    }

    private static Upstream is(boolean whole, boolean ordered) {
        return new Upstream(Set.of("s"), whole, ordered);
    }

    @Test
    void oneWayKeepsTheOrder() {
        Map<String, String> one = Map.of("x", relay(1));
        assertEquals(is(true, true), of(Map.of(), 1, 1, "s->out"));
        assertEquals(is(true, true), of(one, 2, 1, "s->x", "x->out"));
        assertEquals(is(true, true), of(Map.of("x", relay(3)), 3, 1, "s->x", "x->out"));
        assertEquals(is(false, true), of(one, 1, 2, "s->x", "x->out"));
        assertEquals(is(false, true), of(Map.of(), 1, 3, "s->out"));
    }

    @Test
    void instancesThatSharePacketsOutLoseIt() {
        assertEquals(is(false, false), of(Map.of("x", relay(2)), 1, 1, "s->x" + ROUND_ROBIN, "x->out"));
        assertEquals(is(false, false), of(Map.of("x", relay(2)), 2, 2, "s->x" + ROUND_ROBIN, "x->out"));
    }

    @Test
    void severalWaysLoseIt() {
        assertEquals(is(true, false), of(Map.of("x", relay(1), "y", relay(1)), 1, 1, "s->x", "s->y", "x->out", "y->out"));
    }
}
