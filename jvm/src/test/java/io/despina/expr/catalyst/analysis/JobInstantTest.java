package io.despina.expr.catalyst.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.Expressions;
import io.despina.expr.Playback;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Recorder;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobInstantTest {
    /** 2026-03-01T10:59:59.123456Z; in Auckland it is 23:59:59 of the same day. */
    private static final long INSTANT = 1_772_362_799_123_456L;
    private static final Schema SCHEMA = Packets.schema("ts TIMESTAMP NOT NULL");
    private static final Packet PACKET = Packets.of(SCHEMA, INSTANT);
    private static final String ZONE = "Pacific/Auckland";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            now()                                      | 2026-03-01 23:59:59.123456
            current_timestamp                          | 2026-03-01 23:59:59.123456
            current_date()                             | 2026-03-01
            curdate()                                  | 2026-03-01
            localtimestamp()                           | 2026-03-01 23:59:59.123456
            unix_timestamp()                           | 1772362799
            to_unix_timestamp(now())                   | 1772362799
            current_time()                             | 23:59:59.123456
            current_time(0)                            | 23:59:59
            localtime(3)                               | 23:59:59.123
            CAST(TIME'01:02:03' AS TIMESTAMP)          | 2026-03-01 01:02:03
            CAST(TIME'01:02:03' AS TIMESTAMP_NTZ)      | 2026-03-01 01:02:03
            CAST('now' AS TIMESTAMP)                   | 2026-03-01 23:59:59.123456
            CAST(' Today ' AS TIMESTAMP)               | 2026-03-01 00:00:00
            CAST('tomorrow' AS TIMESTAMP_NTZ)          | 2026-03-02 00:00:00
            CAST('now' AS TIMESTAMP_NTZ)               | 2026-03-01 23:59:59.123456
            CAST(nvl('yesterday', 'x') AS DATE)        | 2026-02-28
            date('now')                                | 2026-03-01
            to_timestamp('today')                      | 2026-03-01 00:00:00
            CAST('epoch' AS DATE)                      | 1970-01-01
            ts = now()                                 | true
            current_timezone()                         | Pacific/Auckland
            """)
    void isWhatEveryFunctionAnswers(String text, String expected) throws Exception {
        ProjectionPlan plan = Expressions.compiler(true, ZONE, INSTANT).project(Scope.of(SCHEMA),
                List.of("CAST(" + text + " AS STRING) AS r"));
        assertEquals(expected, Packets.apply(plan, PACKET).get(0).toString());
    }

    @Test
    void isNotCarriedIntoTheNextJob() throws Exception {
        Scope scope = Scope.of(SCHEMA);
        for (String text : List.of("now()", "current_date()", "CAST('today' AS DATE)", "ts > now() - INTERVAL 1 HOUR")) {
            List<String> select = List.of(text + " AS r");
            Object now = Packets.apply(Expressions.compiler(true, ZONE, INSTANT).project(scope, select), PACKET).get(0);
            Object later = Packets.apply(Expressions.compiler(true, ZONE, INSTANT * 2).project(scope, select), PACKET).get(0);
            assertNotEquals(now, later, text);
        }
        List<String> timeless = List.of("ts + INTERVAL 1 HOUR AS r");
        CatalystCompiler compiler = new CatalystCompiler(true, ZONE);
        assertSame(compiler.at(INSTANT).project(scope, timeless), compiler.at(INSTANT * 2).project(scope, timeless));
    }

    @Test
    void isTheSameInAResource() throws Exception {
        ExpressionCompiler coordinators = Expressions.compiler(true, ZONE, INSTANT);
        Recorder recorder = new Recorder(coordinators);
        List<String> select = List.of("now() AS n", "localtimestamp() AS l");
        ProjectionPlan plan = recorder.project(Scope.of(SCHEMA), select);
        ProjectionPlan again = new Playback(recorder.answers(), () -> new CatalystCompiler(true, ZONE).at(INSTANT))
                .project(Scope.of(SCHEMA), select);
        assertEquals(Packets.apply(plan, PACKET), Packets.apply(again, PACKET));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DATE 'today'", "timestamp'Now'", "TIMESTAMP_NTZ  'tomorrow'", "DATE '\\u0074oday'",
            "TIMESTAMP_LTZ r'yesterday'"})
    void aLiteralForWhichTheParserLooksAtTheClockIsRefused(String text) {
        Problem problem = problem("year(" + text + ") AS y");
        assertEquals("unstable_literal", problem.rule());
        assertEquals(List.of(5, 5 + text.length()), List.of(problem.from(), problem.to()));
        assertNotNull(problem.hint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"DATE '2020-01-01'", "TIMESTAMP '2020-01-01 00:00:00 UTC'", "DATE 'epoch'", "upper('today')"})
    void otherLiteralsAreNot(String text) {
        assertNull(problem(text + " AS x"));
    }

    private static Problem problem(String text) {
        try {
            Expressions.compiler(true, ZONE, INSTANT).project(Scope.of(SCHEMA), List.of(text));
            return null;
        } catch (ExpressionException e) {
            return e.problems().get(0);
        }
    }
}
