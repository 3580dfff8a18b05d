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
import org.apache.spark.sql.catalyst.expressions.InitCap;
import org.apache.spark.sql.catalyst.expressions.Lower;
import org.apache.spark.sql.catalyst.expressions.Upper;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

/** {@code upper}, {@code lower} and {@code initcap} over bytes give what Spark's own code gives. */
class CasingTest {
    /** More of them: {@code -Ddespina.values=10000000}. */
    private static final long VALUES = Long.getLong("despina.values", 20_000);
    private static final long SEED = Long.getLong("despina.seed", 1);
    private static final Schema SCHEMA = Packets.schema("s STRING");
    private static final List<String> SELECT = List.of("upper(s) AS u", "lower(s) AS l", "ucase(concat(s, 'aZ')) AS c",
            "lcase(upper(s)) AS b", "initcap(s) AS i", "initcap(concat(s, ' ', s)) AS w");
    private static final String[] PIECES = {"a", "z", "A", "Z", "@", "[", "`", "{", "0", "\u0000", "\u007f", " ", "\t",
            "é", "ß", "İ", "ŉ", "Σ", "ς", "\uD801\uDC28"};

    private static ProjectionPlan plan(Analysis analysis) throws Exception {
        return new CatalystCompiler(analysis).project(Scope.of(SCHEMA), SELECT);
    }

    private static UTF8String text(SplittableRandom random) {
        int pieces = random.nextBoolean() ? 13 : PIECES.length;     // half of them are ASCII alone
        StringBuilder text = new StringBuilder();
        for (int k = random.nextInt(12); k > 0; k--) {
            text.append(PIECES[random.nextInt(pieces)]);
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
            Packet packet = Packets.of(SCHEMA, k % 50 == 0 ? null : text(random));
            assertEquals(Packets.apply(sparks, sparksPlan.result(), packet), Packets.apply(ours, oursPlan.result(), packet),
                    () -> Packets.values(packet, SCHEMA) + ", seed " + SEED);
        }
    }

    @Test
    void compiledGivesSparksText() throws Exception {
        Analysis analysis = new Analysis(true, "UTC");
        ProjectionPlan sparks = plan(analysis.without("Casing"));
        assertEquals(sparks.result(), plan(analysis).result());
        compare(plan(analysis), sparks, VALUES);
    }

    @Test
    void interpretedGivesSparksText() throws Exception {
        Analysis analysis = new Analysis(true, "UTC");
        Codegen.REFUSES.set(true);
        try {
            compare(plan(analysis), plan(analysis.without("Casing")), VALUES / 10);
        } finally {
            Codegen.REFUSES.remove();
        }
    }

    @Test
    void sparksOwnCodeStaysForCollations() {
        assertFalse(Finished.has(SCHEMA, "upper(s)", Upper.class));
        assertFalse(Finished.has(SCHEMA, "lower(s)", Lower.class));
        assertFalse(Finished.has(SCHEMA, "initcap(s)", InitCap.class));
        assertTrue(Finished.has(SCHEMA, "initcap(s COLLATE UTF8_LCASE)", InitCap.class));
        assertTrue(Finished.has(SCHEMA, "upper(s COLLATE UTF8_LCASE)", Upper.class));
        assertTrue(Finished.has(SCHEMA, "lower(s COLLATE UNICODE)", Lower.class));
    }
}
