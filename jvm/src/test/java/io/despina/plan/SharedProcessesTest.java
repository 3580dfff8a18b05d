package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of two functions in a row: whether one process calls both. */
class SharedProcessesTest {
    private static final String FUNCTION = "{\"type\": \"python\", \"function\": \"mine:f\", \"adds\": \"%s INT\"%s}";
    private static final String SINK = "{\"type\": \"discard_sink\"}";

    /** @param more fields of the first and the second, of the link between them, and perhaps another link */
    @ParameterizedTest(name = "{0} | {1} | {2} | {3}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', emptyValue = "", nullValues = "none", value = {
        "none | none | none | none | true",
        "`, 'batch_rows': 9, 'memory_bytes': 99000000` | `, 'batch_rows': 9, 'memory_bytes': 99000000` | none | none | true",
        "`, 'parallelism': 2` | `, 'parallelism': 2` | none | none | true",
        "`, 'group_by': ['a'], 'state': 'n INT'` | none | none | none | true",
        "none | `, 'group_by': ['a'], 'state': 'n INT'` | none | none | false",
        "`, 'pure': false` | none | none | none | false",
        "none | `, 'pure': false` | none | none | false",
        "`, 'takes': 'numpy', 'fixed_rows': 9` | `, 'takes': 'numpy', 'fixed_rows': 9` | none | none | false",
        "`, 'batch_rows': 9` | none | none | none | false",
        "`, 'timeout_ms': 9` | none | none | none | false",
        "none | `, 'open_timeout_ms': 9` | none | none | false",
        "none | `, 'workers': 2` | none | none | false",
        "`, 'spare': true` | none | none | none | false",
        "none | `, 'memory_bytes': 99000000` | none | none | false",
        "none | `, 'parallelism': 2` | none | none | false",
        "none | none | `'fuse': false` | none | false",
        "`, 'parallelism': 2` | `, 'parallelism': 2` | `'partition': {'type': 'round_robin'}` | none | false",
        "none | none | none | one->other | false",
        "`, 'on_error': {'type': 'dead_letter'}` | none | none | one.errors->other | true",
        "none | none | none | two->other | true"})
    void itIsShared(String first, String second, String link, String another, boolean shared) {
        String between = "one->two" + (link == null ? "" : " " + link.replace('\'', '"'));
        Map<String, String> operators = Map.of("s", Graphs.source(""), "one", function("x", first), "two", function("y", second),
                "out", SINK, "other", SINK);
        Plan plan = Graphs.sound(Graphs.plan(operators, "s->one", between, "two->out", another == null ? "s->other" : another));
        assertEquals(shared, plan.links().stream().filter(each -> each.to().equals("two")).findFirst().orElseThrow().shared());
    }

    private static String function(String adds, String more) {
        return FUNCTION.formatted(adds, more == null ? "" : more.replace('\'', '"'));
    }
}
