package io.despina.expr.catalyst.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NamedTextTest {

    private static void assertTaken(String sql, String name, String text) {
        assertEquals(new NamedText(sql, name), NamedText.of(text));
    }

    @Test
    void aNameIsTakenOffHoweverItIsWritten() {
        assertTaken("floor(v / 10)", "bucket", "floor(v / 10) AS bucket");
        assertTaken("floor(v / 10)", "bucket", "floor(v / 10) bucket -- tens");
        assertTaken("upper(m)", "K", "upper(m)\nas K");
        assertTaken("a", "b c", " a AS `b c` ");
    }

    @Test
    void anExpressionWithoutANameStaysWhole() {
        assertTaken("cast(x AS int)", null, "cast(x AS int)");
        assertTaken("`a as b`", null, "`a as b`");
        assertTaken("s.f", null, "s.f -- AS g");
    }

    @Test
    void theWholeExpressionIsTaken() {
        assertTaken("cast(x as int)", "k", "cast(x as int)\nAS k");
        assertTaken("(a + 1) * (b + 2)", "k", "(a + 1) * (b + 2) AS k");
        assertTaken("(a + 1) IS NULL", "k", "(a + 1) IS NULL AS k");
        assertTaken("concat('\uD83D\uDE00', x)", "k", "concat('\uD83D\uDE00', x) AS k");
    }
}
