package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.expr.Expressions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The event time of what leaves a lookup is that of its packets, whatever the stream is that keeps its table. */
class TableStreamTest {
    private static final String FILE = """
            {"type": "file_source", "path": "in", "format": "csv", "schema": "%s", "event_time": {"column": "%s"%s}%s}""";
    private static final String READINGS = "ts TIMESTAMP, device STRING, v INT";
    private static final String ROOMS = "since TIMESTAMP, id STRING, room STRING";
    private static final String BEHIND = """
            {"type": "aggregate", "group_by": ["device"], "window": {"type": "tumbling", "size_ms": 1000},
             "select": ["device", "count(*) AS n"]}""";

    private static Checked<Plan> planned(String time, String repeat, String from) {
        String text = """
                {"format": 1, "name": "g", "operators": {"readings": %s, "rooms": %s, "found": {"type": "lookup",
                 "key": {"id": "device"}, "from": {"type": "stream"%s}}, "seconds": %s, "out": {"type": "discard_sink"}},
                 "links": [{"from": "readings", "to": "found"}, {"from": "rooms", "to": "found.table"},
                 {"from": "found", "to": "seconds"}, {"from": "seconds", "to": "out"}]}"""
                .formatted(FILE.formatted(READINGS, "ts", time, ""), FILE.formatted(ROOMS, "since", "", repeat), from, BEHIND);
        return Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", Map.of()).value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone()),
                new PlanOptions(Target.ENGINE, "/", Set.of()));
    }

    private static List<String> problems(String time, String repeat, String from) {
        return planned(time, repeat, from).diagnostics().stream().map(Diagnostic::rule).toList();
    }

    /** What another instance gave of them would be behind a watermark that this one has passed on. */
    @Test
    void packetsThatWaitForItStayWhereTheyAre() {
        assertTrue(planned("", "", ", \"wait_for_end\": true").value().operator("found").spec().holdsBack());
        assertFalse(planned("", "", "").value().operator("found").spec().holdsBack());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", \"wait_for_end\": true"})
    void itMayHaveTimePerKey(String from) {
        assertEquals(List.of(), problems(", \"per\": [\"device\"], \"max_delay_ms\": 0", "", from));
    }

    @Test
    void nothingIsLateBecauseATableComesAgain() {
        assertEquals(List.of(), problems(", \"max_delay_ms\": 0", ", \"repeat\": 2", ""));
    }
}
