package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.keyed.Absence;
import io.despina.operator.keyed.ApproximateDeduplicate;
import io.despina.operator.keyed.Deduplicate;
import io.despina.operator.keyed.Resample;
import io.despina.operator.keyed.TimelyResample;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Points;
import io.despina.spec.Windows;
import io.despina.state.KeyFilter;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Operators in event order, key by key. By one watermark they have oracles of their own. */
class ClockOfEachKeyTest {
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
    private static final Projection POINT_ALONE = (inputs, out) -> {
        out.setColumn(0, inputs[2], 0);
        out.setColumn(1, inputs[2], 2);
        out.setColumn(2, inputs[0], 2);
        out.setColumn(3, inputs[0], 1);
        out.setColumn(4, inputs[0], 3);
    };
    private static final Projection POINT = (inputs, out) -> {
        POINT_ALONE.apply(inputs, out);
        out.setColumn(4, inputs[1], 3);
    };

    /** The same where there may be no next packet: its value is -1 then. */
    private static final Projection ENDING = (inputs, out) -> {
        POINT_ALONE.apply(inputs, out);
        if (inputs[1].isNull(3)) {
            out.setLong(4, -1);
        } else {
            out.setColumn(4, inputs[1], 3);
        }
    };

    /** An operator, how far beyond a packet it may have something open, and its outputs. */
    private record Subject(long reach, Function<Keys, Operator> operator, Schema... outputs) {
        OperatorHarness.Setup with(Keys keys) {
            return OperatorHarness.of(() -> operator.apply(keys)).inputs(Timed.SCHEMA).outputs(outputs);
        }
    }

    private static Subject any(Random random) {
        long a = 1 + random.nextInt(12);
        long b = 1 + random.nextInt(9);
        boolean flag = random.nextBoolean();
        return switch (random.nextInt(10)) {
            case 0 -> {
                long within = flag || random.nextBoolean() ? a : NEVER;
                yield new Subject(flag ? within : 1, keys -> new Deduplicate(Timed.ORDER,
                        new Deduplicate.Options(keys, within, flag)), Timed.SCHEMA, Timed.SCHEMA);
            }
            case 1 -> new Subject(a + 1, keys -> new Absence(Timed.ORDER, new Absence.Options(keys, a, flag ? NEVER : b,
                    partition -> ABSENT, List.of(1, 2, 3))), MOMENTS, Timed.SCHEMA, Timed.SCHEMA);
            case 2 -> new Subject(1, keys -> new Resample(Timed.ORDER, new Resample.Options(keys, new Points(b, a, NEVER),
                    partition -> POINT, List.of(1, 2))), MOMENTS, Timed.SCHEMA);
            case 8 -> new Subject(a + 1, keys -> {
                Resample.Options options = new Resample.Options(keys, new Points(b, a, a),
                        partition -> flag ? ENDING : POINT_ALONE, List.of(1, 2, 3));
                return flag ? new Resample(Timed.ORDER, options) : new TimelyResample(Timed.ORDER, options);
            }, MOMENTS, Timed.SCHEMA);
            case 6 -> new Subject(1, keys -> keys.clocks() == null
                    ? new TrailingAggregate(Timed.ORDER, flag ? 2 * a : a / 3, keys, partition -> new Collected())
                    : new KeyedTrailing(Timed.ORDER, flag ? 2 * a : a / 3, keys, partition -> new Collected()),
                    Collected.RESULT, Timed.SCHEMA);
            case 3 -> new Subject(flag ? a : 1, keys -> new ControlAggregate(Timed.ORDER, new ControlAggregate.Borders(
                    partition -> multipleOf(2), partition -> multipleOf(5), false, flag ? a : NEVER), keys,
                    partition -> new Collected()), Collected.RESULT, Timed.SCHEMA);
            case 4 -> new Subject(a, keys -> new SessionAggregate(Timed.ORDER, a, keys, partition -> new Collected()),
                    Collected.RESULT, Timed.SCHEMA);
            case 5 -> new Subject(1, keys -> new TrailingCountAggregate(Timed.ORDER, (int) b, keys,
                    partition -> new Collected()), Collected.RESULT, Timed.SCHEMA);
            case 7 -> {
                KeyFilter.Options filter = new KeyFilter.Options(200, 40, flag ? a : NEVER);
                yield new Subject(1, keys -> new ApproximateDeduplicate(Timed.ORDER, keys, filter), Timed.SCHEMA, Timed.SCHEMA);
            }
            default -> {
                Windows windows = new Windows(b, 1 + random.nextInt((int) b), a);
                yield new Subject(b, keys -> keys.clocks() == null
                        ? new WindowAggregate(0, windows, keys, partition -> new Collected())
                        : new KeyedWindows(0, windows, keys, partition -> new Collected()), Collected.RESULT, Timed.SCHEMA);
            }
        };
    }

    private static Predicate multipleOf(long n) {
        return inputs -> inputs[0].getLong(3) % n == 0;
    }

    @Property(tries = 1000)
    void anyOperator(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Subject subject = any(random);
        KeysAlone.compare(subject::with, subject.outputs.length, subject.reach, random);
    }
}
