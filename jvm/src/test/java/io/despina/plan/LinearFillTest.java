package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.catalogue.Catalogue;
import io.despina.catalogue.ResampleDefinition.ResampleSpec;
import io.despina.expr.Expressions;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.catalyst.row.Packets;
import io.despina.operator.keyed.Resample;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The fill {@code linear} against exact arithmetic, whatever the two values are. */
class LinearFillTest {
    private static final Schema IN = Packets.schema("ts TIMESTAMP, v DOUBLE");
    private static final String GRAPH = """
            {"format": 1, "name": "line", "operators": {
              "in": {"type": "file_source", "path": "in", "format": "csv", "schema": "ts TIMESTAMP, v DOUBLE",
                     "event_time": {"column": "ts"}},
              "line": {"type": "resample", "every_ms": 1, "fill": {"v": {"type": "linear"}}},
              "out": {"type": "discard_sink"}},
             "links": [{"from": "in", "to": "line"}, {"from": "line", "to": "out"}]}
            """;
    private static final ProjectionPlan ROW = row();

    private static ProjectionPlan row() {
        Plan plan = Graphs.sound(Planner.plan(Catalogue.DESCRIPTOR.load(GRAPH, "g", Map.of()).value(), Catalogue::planner,
                s -> Expressions.compiler(s.ansi(), s.timeZone()), new PlanOptions(Target.ENGINE, "/")));
        return plan.operators().stream().filter(operator -> operator.spec() instanceof ResampleSpec)
                .map(operator -> ((ResampleSpec) operator.spec()).row()).findFirst().orElseThrow();
    }

    private static double at(double from, double to, double part) {
        Packet point = Packets.of(Resample.POINT, 5L, part == 0, 1L, 2L, part);
        return (Double) Packets.apply(ROW, Packets.of(IN, 0L, from), Packets.of(IN, 9L, to), point).get(1);
    }

    private static double any(Random random) {
        double value = switch (random.nextInt(6)) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> Double.MAX_VALUE * random.nextDouble();
            case 2 -> Double.MIN_VALUE * random.nextInt(9);
            case 3 -> random.nextInt(5);
            case 4 -> Double.MAX_VALUE;
            default -> random.nextGaussian();
        };
        return Double.isFinite(value) ? random.nextBoolean() ? value : -value : any(random);
    }

    private static double near(double value, Random random) {
        double other = value;
        for (int step = random.nextInt(4); step > 0; step--) {
            other = Math.nextUp(other);
        }
        return Double.isFinite(other) ? other : value;
    }

    @Property(tries = 1_000)
    void aPointIsOnTheLineNeverBeyondItsEndsAndNeverBehindTheOneBefore(@ForAll long seed) {
        Random random = new Random(seed);
        double from = any(random);
        double to = random.nextInt(4) == 0 ? near(from, random) : any(random);
        double before = from;
        for (double part : new double[] {0, Double.MIN_VALUE, 0.3 * random.nextDouble(), 0.5, 0.5 + 0.5 * random.nextDouble(),
            Math.nextDown(1.0)}) {
            double value = at(from, to, part);
            String line = from + " to " + to + " at " + part + ": " + value;
            assertTrue(Math.min(from, to) <= value && value <= Math.max(from, to), line);
            assertTrue(from <= to ? before <= value : before >= value, line + " after " + before);
            BigDecimal exact = big(from).add(big(to).subtract(big(from)).multiply(big(part)));
            BigDecimal wrong = exact.subtract(big(value)).abs();
            assertTrue(wrong.compareTo(big(2 * Math.ulp(Math.max(Math.abs(from), Math.abs(to))))) <= 0, line);
            before = value;
        }
        assertEquals(0.0 + from, 0.0 + at(from, from, random.nextDouble()));
    }

    private static BigDecimal big(double value) {
        return new BigDecimal(value);
    }

    @Test
    void infinityIsAsFarFromANumberAtEveryPoint() {
        double infinity = Double.POSITIVE_INFINITY;
        for (double part : List.of(0.1, 0.5, Math.nextDown(1.0))) {
            assertEquals(infinity, at(infinity, 5, part));
            assertEquals(infinity, at(-Double.MAX_VALUE, infinity, part));
            assertEquals(-infinity, at(-infinity, Double.MAX_VALUE, part));
            assertEquals(infinity, at(infinity, infinity, part));
            assertEquals(Double.NaN, at(infinity, -infinity, part));
            assertEquals(Double.NaN, at(Double.NaN, infinity, part));
        }
    }
}
