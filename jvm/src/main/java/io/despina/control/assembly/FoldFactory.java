package io.despina.control.assembly;

import io.despina.operator.Keys;
import io.despina.operator.Operator;
import io.despina.operator.join.AsOfJoin;
import io.despina.operator.join.IntervalJoin;
import io.despina.operator.join.JoinOptions;
import io.despina.operator.window.EachAggregate;
import io.despina.operator.window.FinalAggregate;
import io.despina.operator.window.Scan;
import io.despina.operator.window.TrailingAggregate;
import io.despina.operator.window.WindowAggregate;
import io.despina.operator.window.Windows;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.plan.WindowSpec;
import io.despina.spec.EventTime;
import io.despina.state.EventOrder;

/** The part of {@link OperatorFactory} for operators that keep state: folds, windows and joins. */
final class FoldFactory {
    private static final long MICROS_PER_MS = 1_000;

    private final int buckets;

    /** @param buckets that the graph deals keys out to */
    FoldFactory(int buckets) {
        this.buckets = buckets;
    }

    Operator make(PlannedOperator operator) {
        if (operator.spec() instanceof OperatorSpec.Scan scan) {
            return new Scan(order(operator.inputs().get(0)), new Scan.Fold(Keys.of(scan.keys(), buckets), scan.state(),
                    scan.initial().compiled(), scan.next().compiled(), scan.emitWhen(), scan.select().compiled(),
                    scan.atEnd() ? scan.selected(operator.inputs().get(0).schema()) : null));
        }
        if (operator.spec() instanceof OperatorSpec.Aggregate aggregate) {
            return aggregate(aggregate, operator.inputs().get(0));
        }
        return join((OperatorSpec.Join) operator.spec(), operator);
    }

    /** @return null if the stream has no event time */
    private static EventOrder order(PlannedPort port) {
        EventTime time = port.eventTime();
        return time == null ? null : new EventOrder(time.column(), time.orderBy());
    }

    private Operator aggregate(OperatorSpec.Aggregate spec, PlannedPort in) {
        Keys keys = Keys.of(spec.plan().keys(), buckets);
        if (spec.window() instanceof WindowSpec.Tumbling tumbling) {
            return new WindowAggregate(in.eventTime().column(), Windows.tumbling(tumbling.sizeMs() * MICROS_PER_MS,
                    tumbling.offsetMs() * MICROS_PER_MS), keys, spec.plan().compiled());
        }
        if (spec.window() instanceof WindowSpec.Sliding sliding) {
            return new WindowAggregate(in.eventTime().column(), new Windows(sliding.sizeMs() * MICROS_PER_MS,
                    sliding.slideMs() * MICROS_PER_MS, sliding.offsetMs() * MICROS_PER_MS), keys, spec.plan().compiled());
        }
        if (spec.window() instanceof WindowSpec.Trailing trailing) {
            return new TrailingAggregate(order(in), trailing.sizeMs() * MICROS_PER_MS, keys, spec.plan().compiled());
        }
        if (spec.window() instanceof WindowSpec.Each) {
            return new EachAggregate(order(in), keys, spec.plan().compiled());
        }
        return new FinalAggregate(keys, spec.plan().compiled());
    }

    private Operator join(OperatorSpec.Join spec, PlannedOperator operator) {
        JoinOptions options = new JoinOptions(
                new JoinOptions.Side(order(operator.inputs().get(0)), Keys.of(spec.leftKeys(), buckets)),
                new JoinOptions.Side(order(operator.inputs().get(1)), Keys.of(spec.rightKeys(), buckets)), spec.right(),
                spec.condition(), spec.select().compiled(), spec.outer());
        if (spec.matching() instanceof OperatorSpec.Matching.Between between) {
            return new IntervalJoin(options,
                    new IntervalJoin.Between(between.fromMs() * MICROS_PER_MS, between.toMs() * MICROS_PER_MS));
        }
        OperatorSpec.Matching.AsOf asOf = (OperatorSpec.Matching.AsOf) spec.matching();
        return new AsOfJoin(options, new AsOfJoin.AsOf(asOf.maxAgeMs() == EventTime.NEVER ? AsOfJoin.AsOf.ANY_AGE
                : asOf.maxAgeMs() * MICROS_PER_MS, asOf.strict(), asOf.compareOrder()));
    }
}
