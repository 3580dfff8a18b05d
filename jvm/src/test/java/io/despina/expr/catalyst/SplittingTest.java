package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.StringSplit;
import org.apache.spark.sql.catalyst.expressions.StringSplitSQL;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code split} and {@code split_part} over bytes give what Spark's own code gives. */
class SplittingTest {
    /** More of them: {@code -Ddespina.values=10000000}. */
    private static final long VALUES = Long.getLong("despina.values", 20_000);
    private static final long SEED = Long.getLong("despina.seed", 1);
    private static final Schema SCHEMA = Packets.schema("s STRING, d STRING, n INT NOT NULL");
    private static final List<String> SELECT = Stream.of("split_part(s, '/', 1)", "split_part(s, '/', 3)",
            "split_part(s, '/', -1)", "split_part(s, d, n)", "split_part(s, 'é', n)", "split_part(s, '', n)",
            "split_part(s, '\\\\E.', 2)",
            "concat(split_part(s, d, 1), split_part(s, d, 2))", "split(s, '/')", "split(s, '\\\\.', 0)", "split(s, 'aa', -1)",
            "split(s, 'é')", "split(s, '\\\\*')", "split(s, '\\\\😀')", "split(s, 'a+')", "split(s, '/', 2)",
            "size(split(s, '\n'))", "split(s, '')").map(text -> text + " AS `" + text + "`").toList();
    private static final String[] PIECES = {"/", "//", "", "a", "aa", "aab", "é", "€", "\uD83D\uDE00", "\\E.", ".", "*",
            "\n", "\u0000"};

    private static ProjectionPlan plan(Analysis analysis) throws Exception {
        return new CatalystCompiler(analysis).project(Scope.of(SCHEMA), SELECT);
    }

    private static UTF8String text(SplittableRandom random, int most) {
        StringBuilder text = new StringBuilder();
        for (int k = random.nextInt(most); k > 0; k--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0 && random.nextInt(10) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);      // mostly no UTF-8 any more
        }
        return UTF8String.fromBytes(bytes);
    }

    private static void compare(ProjectionPlan oursPlan, ProjectionPlan sparksPlan, long values) {
        Projection ours = oursPlan.compiled().instance(0);
        Projection sparks = sparksPlan.compiled().instance(0);
        SplittableRandom random = new SplittableRandom(SEED);
        for (long k = 0; k < values; k++) {
            int part = random.nextInt(1, 5) * (random.nextBoolean() ? 1 : -1);
            Packet packet = Packets.of(SCHEMA, k % 50 == 0 ? null : text(random, 12), k % 60 == 0 ? null : text(random, 3), part);
            assertEquals(Packets.apply(sparks, sparksPlan.result(), packet), Packets.apply(ours, oursPlan.result(), packet),
                    () -> Packets.values(packet, SCHEMA) + ", seed " + SEED);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void compiledGivesSparksParts(boolean ansi) throws Exception {
        Analysis analysis = new Analysis(ansi, "UTC");
        ProjectionPlan sparks = plan(analysis.without("Splitting"));
        assertEquals(sparks.result(), plan(analysis).result());
        compare(plan(analysis), sparks, VALUES);
    }

    @Test
    void interpretedGivesSparksParts() throws Exception {
        Analysis analysis = new Analysis(true, "UTC");
        Codegen.REFUSES.set(true);
        try {
            compare(plan(analysis), plan(analysis.without("Splitting")), VALUES / 10);
        } finally {
            Codegen.REFUSES.remove();
        }
    }

    @Test
    void regularExpressionsAreAvoided() {
        assertFalse(Finished.has(SCHEMA, "split_part(s, '/', 1)", StringSplitSQL.class));
        assertFalse(Finished.has(SCHEMA, "split(s, ', ')[0]", StringSplit.class));
        assertTrue(Finished.has(SCHEMA, "split(s, ', *')[0]", StringSplit.class));
    }

    @Test
    void sparksOwnCodeStaysForCollations() {
        assertTrue(Finished.has(SCHEMA, "split_part(s COLLATE UTF8_LCASE, '/', 1)", StringSplitSQL.class));
        assertTrue(Finished.has(SCHEMA, "split(s COLLATE UTF8_LCASE, '/')", StringSplit.class));
    }
}
