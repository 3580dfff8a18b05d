package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.RoundBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code round} and {@code bround} without decimals give the bytes that Spark's own code gives. */
class RoundingTest {
    /** More of them: {@code make rounding}. */
    private static final long VALUES = Long.getLong("despina.values", 20_000);
    private static final boolean ASKED = Long.getLong("despina.values") != null;
    private static final long SEED = Long.getLong("despina.seed", 1);
    private static final String WITHOUT = "Rounding";
    /** Numbers are made and compared in so many parts, side by side, each from a seed of its own. */
    private static final int PARTS = 16;

    private static final Schema SCHEMA = Packets.schema("b DOUBLE NOT NULL, f FLOAT NOT NULL, n DOUBLE, e DECIMAL(20, 3), i INT");
    private static final List<String> SELECT = Stream.of("round(b)", "bround(b)", "round(f)", "bround(f)", "round(f, 2)",
            "round(b, 1)", "bround(b, 1)", "round(b, 2)", "bround(b, 2)", "round(b, 3)", "bround(b, 6)", "round(b, 9)",
            "round(b, 15)", "bround(b, 15)", "round(b, 16)", "round(b, -2)", "round(n)", "bround(n, 2)", "round(round(b, 2), 1)")
            .map(text -> text + " AS `" + text + "`").toList();
    private static final double[] SPECIAL = {0.0, -0.0, Double.NaN, Double.longBitsToDouble(0xfff8000000000001L),
            Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MAX_VALUE, Double.MIN_VALUE, Double.MIN_NORMAL,
            -0.3, 0.5, 1.5, 2.5, -0.5, 0.49999999999999994, 1.005, 2.675, 0.285, 1e23, 0x1p52, 0x1p52 - 0.5, 0x1p53, 9.5e15};

    private static ProjectionPlan plan(Analysis analysis) throws Exception {
        return new CatalystCompiler(analysis).project(Scope.of(SCHEMA), SELECT);
    }

    private static Analysis analysis(boolean ansi) {
        return new Analysis(ansi, "UTC");
    }

    /** A number where rounding could go wrong: near a half of some scale, a power, the ends of the range; or any bits. */
    private static double value(SplittableRandom random) {
        double power = Math.pow(10, random.nextInt(16));
        double whole = random.nextLong() >>> 11 + random.nextInt(53);
        double near = switch (random.nextInt(8)) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> SPECIAL[random.nextInt(SPECIAL.length)];
            case 2 -> whole + 0.5;
            case 3 -> Math.scalb(1.0, random.nextInt(2100) - 1074);
            case 4 -> Double.longBitsToDouble(random.nextLong() >>> 12 + random.nextInt(52));
            case 5 -> (whole + 0.5) / power;
            case 6 -> whole / power;
            default -> random.nextDouble() * power;
        };
        for (int steps = random.nextInt(4) - 1; steps > 0; steps--) {
            near = random.nextBoolean() ? Math.nextUp(near) : Math.nextDown(near);
        }
        return random.nextBoolean() ? near : -near;
    }

    private static byte[] bytes(Projection projection, PacketWriter out, Packet of) {
        int from = out.position();
        projection.apply(new Packet[] {of}, out.begin());
        out.commit();
        return Arrays.copyOfRange(out.bytes(), from, out.position());
    }

    /** Instances are made here, since whether code is compiled goes by the thread. */
    private static void compare(ProjectionPlan ours, ProjectionPlan sparks, long values) {
        Schema result = ours.result();
        Compiled<Projection> one = ours.compiled();
        Compiled<Projection> other = sparks.compiled();
        List<Projection> first = IntStream.range(0, PARTS).mapToObj(one::instance).toList();
        List<Projection> second = IntStream.range(0, PARTS).mapToObj(other::instance).toList();
        long compared = IntStream.range(0, PARTS).parallel().mapToLong(part -> compare(first.get(part), second.get(part), result,
                SEED + part, values / PARTS)).sum();
        if (ASKED) {
            System.out.printf("%,d rows of %d expressions, each as Spark gives it (seed %d)%n", compared, SELECT.size(), SEED);
        }
    }

    private static long compare(Projection ours, Projection sparks, Schema result, long seed, long values) {
        SplittableRandom random = new SplittableRandom(seed);
        for (long k = 0; k < values; k++) {
            double value = value(random);
            Packet packet = Packets.of(SCHEMA, value, (float) value, k % 5 == 0 ? null : value(random), null, null);
            byte[] one = bytes(ours, Packets.writer(result), packet);
            byte[] other = bytes(sparks, Packets.writer(result), packet);
            assertArrayEquals(other, one, () -> Packets.values(packet, SCHEMA) + ", seed " + seed);
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void compiledGivesSparksBytes(boolean ansi) throws Exception {
        ProjectionPlan ours = plan(analysis(ansi));
        ProjectionPlan sparks = plan(analysis(ansi).without(WITHOUT));
        assertEquals(sparks.result(), ours.result());
        compare(ours, sparks, VALUES);
    }

    @Test
    void interpretedGivesSparksBytes() throws Exception {
        Codegen.REFUSES.set(true);
        try {
            ProjectionPlan ours = plan(analysis(true));
            compare(ours, plan(analysis(true).without(WITHOUT)), VALUES / 10);
        } finally {
            Codegen.REFUSES.remove();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"round(b)", "bround(n)", "round(f)", "round(b, 2)", "bround(n, 15)", "round(b, 1 + 1)",
            "round(sqrt(n))"})
    void decimalsAreAvoided(String text) {
        assertFalse(Finished.has(SCHEMA, text, RoundBase.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"round(b, 16)", "round(b, -1)", "round(f, 1)", "round(e)", "round(i, -1)"})
    void sparksOwnCodeStaysWhereNothingIsProved(String text) {
        assertTrue(Finished.has(SCHEMA, text, RoundBase.class));
    }
}
