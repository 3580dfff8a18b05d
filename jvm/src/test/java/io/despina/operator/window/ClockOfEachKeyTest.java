package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.Clocks;
import io.despina.operator.Keys;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.keyed.Absence;
import io.despina.operator.keyed.Deduplicate;
import io.despina.operator.keyed.Resample;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Window;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * An operator whose keys have clocks gives the rows that it gives for each key's packets alone, by a watermark after each of them.
 * By one watermark operators have oracles of their own.
 */
class ClockOfEachKeyTest {
    /** Groups within keys: several share a clock. */
    private static final Keys BY_K_AND_ORD = new Keys(Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(1)),
            Timed.columns(2, 1), 256);
    private static final Schema MOMENTS = Schema.of(new Column("at", Simple.TIMESTAMP, false),
            new Column("since", Simple.BIGINT, false), new Column("k", Simple.STRING, true),
            new Column("ord", Simple.INT, true), new Column("v", Simple.BIGINT, false));
    private static final Projection ABSENT = (inputs, out) -> {
        out.setColumn(0, inputs[1], 1);
        out.setColumn(1, inputs[1], 0);
        out.setColumn(2, inputs[0], 2);
        out.setColumn(3, inputs[0], 1);
        out.setColumn(4, inputs[0], 3);
    };
    private static final Projection POINT = (inputs, out) -> {
        out.setColumn(0, inputs[2], 0);
        out.setColumn(1, inputs[2], 2);
        out.setColumn(2, inputs[0], 2);
        out.setColumn(3, inputs[0], 1);
        out.setColumn(4, inputs[1], 3);
    };

    /** An operator and its outputs. */
    private record Subject(Function<Keys, Operator> operator, Schema... outputs) {
        OperatorHarness.Setup with(Keys keys) {
            return OperatorHarness.of(() -> operator.apply(keys)).inputs(Timed.SCHEMA).outputs(outputs);
        }
    }

    private static Subject any(Random random) {
        long a = 1 + random.nextInt(12);
        long b = 1 + random.nextInt(9);
        boolean flag = random.nextBoolean();
        return switch (random.nextInt(4)) {
            case 0 -> {
                long within = flag || random.nextBoolean() ? a : Deduplicate.FOREVER;
                yield new Subject(keys -> new Deduplicate(Timed.ORDER, new Deduplicate.Options(keys, within, flag)),
                        Timed.SCHEMA, Timed.SCHEMA);
            }
            case 1 -> new Subject(keys -> new Absence(Timed.ORDER, new Absence.Options(keys, a, flag ? Absence.NEVER : b,
                    partition -> ABSENT, List.of(1, 2, 3))), MOMENTS, Timed.SCHEMA, Timed.SCHEMA);
            case 2 -> new Subject(keys -> new Resample(Timed.ORDER, new Resample.Options(keys, b, a, partition -> POINT,
                    List.of(1, 2))), MOMENTS, Timed.SCHEMA);
            default -> new Subject(keys -> new ControlAggregate(Timed.ORDER, new ControlAggregate.Borders(
                    partition -> multipleOf(2), partition -> multipleOf(5), flag ? a : Window.Control.FOREVER), keys,
                    partition -> new Collected()), Collected.RESULT, Timed.SCHEMA);
        };
    }

    private static Predicate multipleOf(long n) {
        return inputs -> inputs[0].getLong(3) % n == 0;
    }

    @Property(tries = 600)
    void anyOperator(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextBoolean() ? Timed.BY_K : BY_K_AND_ORD;
        long delay = random.nextInt(12);
        Subject subject = any(random);
        List<Step> steps = Timed.perKey(random, delay);
        try (OperatorHarness harness = Timed.room(subject.with(keys.with(new Clocks(Timed.BY_K, List.of(0), delay))), random)
                .open()) {
            Timed.playWhole(harness, steps, random);
            List<List<String>> found = new ArrayList<>();
            for (int port = 0; port < subject.outputs.length; port++) {
                found.add(sorted(harness.rows(port)));
            }
            assertEquals(alone(subject.with(keys), subject.outputs.length, steps, delay), found, steps.toString());
        }
    }

    /** By output, the rows that each key's packets give by themselves. */
    private static List<List<String>> alone(OperatorHarness.Setup setup, int outputs, List<Step> steps, long delay)
            throws Exception {
        Map<Object, List<Step>> byKey = new LinkedHashMap<>();
        steps.forEach(step -> byKey.computeIfAbsent("" + Timed.key(step.row()), key -> new ArrayList<>()).add(step));
        List<List<List<Object>>> rows = new ArrayList<>();
        for (int port = 0; port < outputs; port++) {
            rows.add(new ArrayList<>());
        }
        for (List<Step> own : byKey.values()) {
            try (OperatorHarness harness = setup.open()) {
                long watermark = Long.MIN_VALUE;
                for (Step step : own) {
                    harness.feed(0, List.of(step.row()));
                    watermark = Math.max(watermark, Timed.time(step.row()) - delay);
                    harness.watermark(watermark);
                }
                harness.watermark(Long.MAX_VALUE).end();
                for (int port = 0; port < outputs; port++) {
                    rows.get(port).addAll(harness.rows(port));
                }
            }
        }
        return rows.stream().map(ClockOfEachKeyTest::sorted).toList();
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(Object::toString).sorted().toList();
    }
}
