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
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.spec.EventTime;
import io.despina.spec.Matching;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;

/** The part of {@link OperatorFactory} for operators that keep state: folds, windows and joins. */
final class FoldFactory {
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
        if (spec.window() instanceof Windows windows) {
            return new WindowAggregate(in.eventTime().column(), windows, keys, spec.plan().compiled());
        }
        if (spec.window() instanceof Window.Trailing trailing) {
            return new TrailingAggregate(order(in), trailing.size(), keys, spec.plan().compiled());
        }
        if (spec.window() instanceof Window.Each) {
            return new EachAggregate(order(in), keys, spec.plan().compiled());
        }
        return new FinalAggregate(keys, spec.plan().compiled());
    }

    private Operator join(OperatorSpec.Join spec, PlannedOperator operator) {
        JoinOptions options = new JoinOptions(
                new JoinOptions.Side(order(operator.inputs().get(0)), Keys.of(spec.leftKeys(), buckets)),
                new JoinOptions.Side(order(operator.inputs().get(1)), Keys.of(spec.rightKeys(), buckets)), spec.right(),
                spec.condition(), spec.select().compiled(), spec.outer());
        return spec.matching() instanceof Matching.Between between ? new IntervalJoin(options, between)
                : new AsOfJoin(options, (Matching.AsOf) spec.matching());
    }
}
