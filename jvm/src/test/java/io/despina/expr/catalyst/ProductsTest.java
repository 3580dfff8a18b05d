package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Products of decimals by longs give the bytes that Spark's own code gives. */
class ProductsTest {
    /** More of them: {@code make rounding}. */
    private static final long VALUES = Long.getLong("despina.values", 20_000);
    private static final long SEED = Long.getLong("despina.seed", 1);

    private static final Schema SCHEMA = Packets.schema("n BIGINT NOT NULL, m BIGINT, i INT NOT NULL,"
            + " d DECIMAL(10, 2) NOT NULL, e DECIMAL(18, 6), w DECIMAL(20, 3)");
    private static final List<String> SELECT = Stream.of("0.908 * n", "n * -0.001", "m * 1.5", "n * 123456789012345678.9",
            "m * 0.0", "d * d", "d * e", "e * e", "e * m", "d * 3", "i * d", "w * d", "d * e * 0.1", "try_multiply(d, e)",
            "cast(0.908 * n AS STRING)", "hash(0.908 * m)", "0.908 * n > d * 7", "cast(d * e AS DECIMAL(30, 1))")
            .map(text -> text + " AS `" + text + "`").toList();

    private static ProjectionPlan plan(Analysis analysis) throws Exception {
        return new CatalystCompiler(analysis).project(Scope.of(SCHEMA), SELECT);
    }

    private static Analysis analysis(boolean ansi) {
        return new Analysis(ansi, "UTC");
    }

    /** One of any number of digits, or near the end of what has so many bits. */
    private static long value(SplittableRandom random) {
        long value = random.nextInt(3) == 0 ? (1L << random.nextInt(64)) + random.nextInt(3) - 1
                : random.nextLong() >> random.nextInt(64);
        return random.nextInt(50) == 0 ? random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE : value;
    }

    private static BigDecimal decimal(SplittableRandom random, int digits, int scale) {
        BigInteger ten = BigInteger.TEN.pow(1 + random.nextInt(digits));
        BigInteger unscaled = random.nextInt(4) == 0 ? ten.subtract(BigInteger.ONE)
                : BigInteger.valueOf(value(random)).multiply(BigInteger.valueOf(value(random))).mod(ten);
        return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), scale);
    }

    private static byte[] bytes(Projection projection, PacketWriter out, Packet of) {
        int from = out.position();
        projection.apply(new Packet[] {of}, out.begin());
        out.commit();
        return Arrays.copyOfRange(out.bytes(), from, out.position());
    }

    private static void compare(ProjectionPlan ours, ProjectionPlan sparks, long values) {
        assertEquals(sparks.result(), ours.result());
        Projection one = ours.compiled().instance(0);
        Projection other = sparks.compiled().instance(0);
        SplittableRandom random = new SplittableRandom(SEED);
        for (long k = 0; k < values; k++) {
            Packet packet = Packets.of(SCHEMA, value(random), k % 5 == 0 ? null : value(random), random.nextInt(),
                    decimal(random, 10, 2), k % 7 == 0 ? null : decimal(random, 18, 6), decimal(random, 20, 3));
            assertArrayEquals(bytes(other, Packets.writer(sparks.result()), packet),
                    bytes(one, Packets.writer(ours.result()), packet), () -> Packets.values(packet, SCHEMA) + ", seed " + SEED);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void compiledGivesSparksBytes(boolean ansi) throws Exception {
        compare(plan(analysis(ansi)), plan(analysis(ansi).without("Products")), VALUES);
    }

    @Test
    void interpretedGivesSparksBytes() throws Exception {
        Codegen.REFUSES.set(true);
        try {
            compare(plan(analysis(true)), plan(analysis(true).without("Products")), VALUES / 10);
        } finally {
            Codegen.REFUSES.remove();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.908 * n", "m * 1.5", "d * e", "d * 3", "try_multiply(d, e)"})
    void longsAreMultiplied(String text) {
        assertFalse(Finished.has(SCHEMA, text, Multiply.class));
    }

    /** Digits that a BIGINT has no room for, and types that round. */
    @ParameterizedTest
    @ValueSource(strings = {"w * d", "n * 1234567890123456789.0", "m * e", "n * m"})
    void sparksOwnCodeStaysWhereNothingIsProved(String text) {
        assertTrue(Finished.has(SCHEMA, text, Multiply.class));
    }
}
