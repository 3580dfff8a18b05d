package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.catalogue.Catalogue;
import io.despina.descriptor.Diagnostic;
import io.despina.expr.Expressions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where `late` is warned of: not where nothing can be late, nor where the author says that it is known. */
class LatenessTest {
    private static final String GENERATOR = """
            {"type": "generator_source", "count": 10, "parallelism": 2,
             "rows": {"type": "select", "select": ["seed", "%s AS ts"]}, "event_time": {"column": "ts"%s}}""";
    private static final String FALLS = GENERATOR.formatted("timestamp_millis(id % 4)", "");
    private static final String SCAN = """
            {"type": "scan", "state": {"n": {"initial": "0", "next": "n + 1"}},
             "select": ["ts", "ts + INTERVAL 1 SECOND AS later"], %s}""";
    private static final String PASSES = "{\"type\": \"filter\", \"where\": \"seed > 0\"}";
    private static final String WINDOW = """
            {"type": "aggregate", "window": {"type": "tumbling", "size_ms": 1000}, "select": ["count(*) AS n"]%s}""";

    private static List<String> warnings(String settings, String source, String between, String window) {
        String text = """
                {"format": 1, "name": "g", "settings": %s, "operators": {"source": %s, "between": %s, "seconds": %s,
                 "out": {"type": "discard_sink"}}, "links": [{"from": "source", "to": "between"},
                 {"from": "between", "to": "seconds"}, {"from": "seconds", "to": "out"}]}"""
                .formatted(settings, source, between, window);
        return Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", Map.of()).value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone()),
                new PlanOptions(Target.ENGINE, "/", Set.of())).diagnostics().stream().map(Diagnostic::rule).toList();
    }

    private static List<String> of(String time) {
        return warnings("{}", GENERATOR.formatted(time, ""), PASSES, WINDOW.formatted(""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"timestamp_millis(1700000000000 + id * 10)", "timestamp_seconds(id / 3)", "CAST(id * 2 AS TIMESTAMP)",
        "timestamp_micros(id div 7 - 5)", "TIMESTAMP '2026-01-01 00:00:00'", "timestamp_millis(seed + CAST(0.5 * id AS BIGINT))"})
    void nothingIsLateOfAGeneratorWhoseTimeNeverFalls(String time) {
        assertEquals(List.of(), of(time));
    }

    @ParameterizedTest
    @ValueSource(strings = {"timestamp_millis(1700000000000 - id)", "timestamp_millis(id % 4)", "timestamp_millis(id * seed)",
        "timestamp_millis(id * -1)", "timestamp_millis(id * id - id)", "timestamp_millis(id div -7)",
        "timestamp_millis(CAST(CAST(id AS STRING) AS BIGINT))"})
    void itMayBeOfAnyOther(String time) {
        assertEquals(List.of("late"), of(time));
    }

    @Test
    void itMayBeWhereASourceIsNotWaitedForOrNumbersWrap() {
        String rises = GENERATOR.formatted("timestamp_millis(id)", "");
        String idle = GENERATOR.formatted("timestamp_millis(id)", ", \"idle_after_ms\": 5");
        assertEquals(List.of("late"), warnings("{}", idle, PASSES, WINDOW.formatted("")));
        assertEquals(List.of("late"), warnings("{\"ansi\": false}", rises, PASSES, WINDOW.formatted("")));
    }

    @Test
    void itMayBeBehindWhatHoldsPacketsBack() {
        assertEquals(List.of("late"), warnings("{}", GENERATOR.formatted("timestamp_millis(id)", ""),
                "{\"type\": \"delay\", \"hold_ms\": 5}", WINDOW.formatted("")));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "{\"type\": \"geocode\", \"name\": \"string(seed)\", \"path\": \"p.txt\"}",
        "{\"type\": \"lookup\", \"key\": {\"k\": \"seed\"}, \"from\": {\"type\": \"file\", \"path\": \"p.csv\", "
            + "\"format\": \"csv\", \"schema\": \"k BIGINT, x INT\"}}",
        "{\"type\": \"lookup\", \"key\": {\"k\": \"seed\"}, \"from\": {\"type\": \"jdbc\", "
            + "\"url\": \"jdbc:sqlite:p.db\", \"driver\": \"org.sqlite.JDBC\", \"table\": \"p\", \"schema\": "
            + "\"k BIGINT, x INT\"}}"})
    void nothingIsLateBehindALookup(String lookup) {
        assertEquals(List.of(), warnings("{}", GENERATOR.formatted("timestamp_millis(id)", ""), lookup, WINDOW.formatted("")));
    }

    @Test
    void nothingIsLateBehindWhatHasPutPacketsInOrder() {
        assertEquals(List.of(), warnings("{}", FALLS, SCAN.formatted("\"accept\": [\"order\", \"late\"]"), WINDOW.formatted("")));
        assertEquals(List.of("late"), warnings("{}", FALLS, SCAN.formatted("\"accept\": [\"order\"]"), WINDOW.formatted("")));
        String other = SCAN.formatted("\"event_time\": {\"column\": \"later\"}, \"accept\": [\"order\", \"late\"]");
        assertEquals(List.of("event_time_source", "late"), warnings("{}", FALLS, other, WINDOW.formatted("")));
    }

    @Test
    void whoSaysHowLateItMayBeIsNotToldOfIt() {
        String known = GENERATOR.formatted("timestamp_millis(id % 4)", ", \"max_delay_ms\": 4");
        assertEquals(List.of(), warnings("{}", known, PASSES, WINDOW.formatted("")));
        assertEquals(List.of("late"), warnings("{}", FALLS, PASSES, WINDOW.formatted("")));
    }

    @Test
    void whoAcceptsItIsNotToldOfIt() {
        assertEquals(List.of(), warnings("{}", FALLS, PASSES, WINDOW.formatted(", \"accept\": [\"late\"]")));
        assertEquals(List.of("late"), warnings("{}", FALLS, PASSES, WINDOW.formatted(", \"accept\": [\"order\"]")));
    }
}
