package io.despina.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.expr.Projection;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReasonTest {
    private static final Schema NUMBERS = Schema.of(new Column("n", Simple.INT, false));

    @Test
    void anExpressionThatFailsNamesTheGraphsSettingAndItsOwnText() throws Exception {
        Projection divided = Expressions.compiler(true, "UTC").project(Scope.of(NUMBERS), List.of("10 DIV n AS q")).compiled()
                .instance(0);
        Packet packet = Rows.packet(NUMBERS, 0);
        PacketWriter out = Rows.growing(Schema.of(new Column("q", Simple.BIGINT, true)));
        ArithmeticException failed = assertThrows(ArithmeticException.class,
                () -> divided.apply(new Packet[] {packet}, out.begin()));
        String reason = Reason.of(failed);
        assertTrue(reason.contains("set \"ansi\" to false in \"settings\""), reason);
        assertTrue(reason.contains("10 DIV n AS q"), reason);
        assertFalse(reason.contains("spark.sql"), reason);
    }

    @Test
    void whatSparkSaysIsPlain() {
        assertEquals("The index 7 is out of bounds. In: array(id, 2) [7] AS x", Reason.of(new ArrayIndexOutOfBoundsException(
                "[INVALID_ARRAY_INDEX] The index 7 is out of bounds. SQLSTATE: 22003\n== SQL (line 1, position 1) ==\n"
                        + "array(id, 2)\n^^^^^^^^^^^^\n[7] AS x\n^^^\n")));
        assertEquals("The timezone: Foo/Bar is invalid.",
                Reason.of(new IllegalArgumentException("[INVALID_TIMEZONE] The timezone: Foo/Bar is invalid. SQLSTATE: 22009")));
        assertEquals("[1, 2] is no number", Reason.of(new IllegalArgumentException("[1, 2] is no number")));
    }

    @Test
    void filesAreToldByWhatIsWrongWithThem() {
        assertEquals("there is no /in", Reason.of(new NoSuchFileException("/in")));
        assertEquals("no permission for /in", Reason.of(new AccessDeniedException("/in")));
    }

    @Test
    void whoIsNotReachedIsToldWhereJavasClientSaysNothing() {
        assertEquals("Connection refused", Reason.of(new ConnectException()));
        assertEquals("Connection timed out", Reason.of(new ConnectException("Connection timed out")));
        ConnectException nowhere = new ConnectException();
        nowhere.initCause(new UnresolvedAddressException());
        assertEquals("the host is unknown", Reason.of(nowhere));
    }

    @Test
    void whatSaysNothingIsNamed() {
        assertEquals("IllegalStateException", Reason.of(new IllegalStateException()));
        assertEquals("a value has more bytes or elements than an array can hold",
                Reason.of(new NegativeArraySizeException("-5")));
        assertEquals("NullPointerException: x", Reason.of(new NullPointerException("x")));
    }

    @Test
    void sparksAdviceIsOneClause() {
        assertEquals("Division by zero; `try_divide` gives NULL instead, or set \"ansi\" to false in \"settings\"."
                + " In: 1 / n AS x", Reason.of(new ArithmeticException(
                "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead."
                        + " If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this error. SQLSTATE: 22012\n"
                        + "== SQL (line 1, position 1) ==\n1 / n AS x\n^^^^^")));
        assertEquals("The value 'a' of the type \"STRING\" cannot be cast to \"INT\"; `try_cast` gives NULL instead.", Reason.of(
                new NumberFormatException("[CAST_INVALID_INPUT] The value 'a' of the type \"STRING\" cannot be cast to \"INT\""
                        + " because it is malformed. Correct the value as per the syntax, or change its target type."
                        + " Use `try_cast` to tolerate malformed input and return NULL instead. SQLSTATE: 22018")));
    }

    @Test
    void jacksonsPlaceIsAColumn() {
        assertEquals("in.json:5: Unexpected end-of-input in VALUE_STRING (column 14)", Reason.of(new IllegalArgumentException(
                "in.json:5: Unexpected end-of-input in VALUE_STRING\n at [Source: REDACTED"
                        + " (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION`"
                        + " disabled); line: 1, column: 14]")));
        assertEquals("in.json:5: Unexpected end-of-input: expected close marker for Object (column 9)", Reason.of(
                new IllegalArgumentException("in.json:5: Unexpected end-of-input: expected close marker for Object (start marker"
                        + " at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 1])"
                        + "\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled);"
                        + " line: 1, column: 9]")));
    }
}
