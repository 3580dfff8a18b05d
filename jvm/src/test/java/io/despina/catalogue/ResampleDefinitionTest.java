package io.despina.catalogue;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.despina.expr.Expressions;
import io.despina.plan.Graphs;
import io.despina.plan.PlanOptions;
import io.despina.plan.PlannedPort;
import io.despina.plan.Planner;
import io.despina.plan.Target;
import io.despina.spec.EventTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the stream behind a resample is: its columns, and its event time. */
class ResampleDefinitionTest {
    private static final long MS = 1_000;
    private static final String PREVIOUS = "\"n\": {\"type\": \"previous\"}";
    private static final String LINEAR = "\"n\": {\"type\": \"linear\"}";
    private static final String ENDS = ", \"ends_after_ms\": 7000";
    private static final String BY_K = ENDS + ", \"group_by\": [\"k\"]";

    private static PlannedPort points(String fill, String more, String time, Target target) {
        String text = """
                {"format": 1, "name": "g", "operators": {
                   "s": {"type": "file_source", "path": "in", "format": "csv",
                         "schema": "ts TIMESTAMP, id BIGINT, k STRING, n INT",
                         "event_time": {"column": "ts", "order_by": ["id"], "max_delay_ms": 500%s}},
                   "t": {"type": "project", "select": ["ts", "id", "k", "n", "coalesce(n, 0) AS c", "array(n) AS a"]},
                   "x": {"type": "resample", "every_ms": 1000, "fill": {%s}%s, "accept": ["late"]},
                   "out": {"type": "discard_sink"}},
                 "links": [{"from": "s", "to": "t"}, {"from": "t", "to": "x"}, {"from": "x", "to": "out"}]}
                """.formatted(time, fill, more);
        return Graphs.sound(Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", Map.of()).value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone()), new PlanOptions(target, "/"))).operator("x").outputs().get(0);
    }

    private static PlannedPort points(String fill, String more) {
        return points(fill, more, "", Target.ENGINE);
    }

    private static EventTime perKey(String fill) {
        return points(fill, BY_K, ", \"per\": [\"k\"], \"idle_after_ms\": 300", Target.ENGINE).eventTime();
    }

    @Test
    void itHasEventTimeIfGroupsEnd() {
        assertNull(points(PREVIOUS, ", \"group_by\": [\"k\"]").eventTime());
        assertEquals(new EventTime(0, List.of(1), 500 * MS, NEVER), points(PREVIOUS, BY_K).eventTime());
        assertEquals(new EventTime(0, List.of(1), 7500 * MS, NEVER), points(LINEAR, BY_K).eventTime());
    }

    @Test
    void whatDependsOnTheNextPacketIsBehind() {
        for (String of : List.of("next.n", "point.gap", "point.part + n", "if(point.exact, n, next.n)")) {
            String fill = "\"x\": {\"type\": \"expression\", \"of\": \"" + of + "\"}";
            assertEquals(7500 * MS, points(fill, BY_K).eventTime().maxDelayMicros(), of);
        }
        for (String of : List.of("n", "point.age", "if(point.exact, n, NULL)", "point.at - ts")) {
            String fill = "\"x\": {\"type\": \"expression\", \"of\": \"" + of + "\"}";
            assertEquals(500 * MS, points(fill, BY_K).eventTime().maxDelayMicros(), of);
        }
    }

    @Test
    void byTheClocksOfKeysItsOwnDelayIsAllAndSilenceIsLonger() {
        assertEquals(new EventTime(0, List.of(1), 0, 1_600_000_000, List.of(1)), perKey(PREVIOUS));
        assertEquals(new EventTime(0, List.of(1), 7000 * MS, 1_600_000_000, List.of(1)), perKey(LINEAR));
    }

    @Test
    void keysBreakTiesIfTheyHaveAnOrder() {
        assertEquals(List.of(0), points(PREVIOUS, ENDS).eventTime().orderBy());
        assertEquals(List.of(1, 2), points(PREVIOUS, ENDS + ", \"group_by\": [\"id\", \"k\"]").eventTime().orderBy());
        assertEquals(List.of(), points(PREVIOUS, ENDS + ", \"group_by\": [\"a\", \"k\"]").eventTime().orderBy());
    }

    @Test
    void onSparksStreamsOnlyRowsInTimeHaveEventTime() {
        assertNotNull(points(PREVIOUS, BY_K, "", Target.SPARK_STREAMING).eventTime());
        assertNull(points(LINEAR, BY_K, "", Target.SPARK_STREAMING).eventTime());
        assertNotNull(points(LINEAR, BY_K, "", Target.SPARK).eventTime());
    }

    @Test
    void theNextPacketMayBeMissingWhereGroupsEnd() {
        String fill = "\"x\": {\"type\": \"expression\", \"of\": \"next.c\"}, \"y\": {\"type\": \"expression\", \"of\": \"c\"}";
        assertEquals("ts TIMESTAMP NOT NULL, k STRING, x INT NOT NULL, y INT NOT NULL",
                points(fill, ", \"group_by\": [\"k\"]").schema().sql());
        assertEquals("ts TIMESTAMP NOT NULL, k STRING, x INT, y INT NOT NULL", points(fill, BY_K).schema().sql());
    }
}
