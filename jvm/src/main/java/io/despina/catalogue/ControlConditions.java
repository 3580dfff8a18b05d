package io.despina.catalogue;

import io.despina.catalogue.field.WindowFields;
import io.despina.descriptor.Values;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.window.ControlAggregate;
import io.despina.operator.window.ControlledAggregate;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.spec.Window;
import java.util.Arrays;
import java.util.List;

/**
 * What opens and closes the windows of type {@code control}.
 *
 * @param packets  for packets at port {@code in}
 * @param controls for packets at port {@code control}; null without that port
 * @param on       for which group a packet at {@code control} is; null without that port
 */
public record ControlConditions(ControlAggregate.Borders packets, ControlAggregate.Borders controls, FurtherKeys on) {

    /**
     * Checks and compiles them.
     *
     * @param of the aggregate, or null if it was refused
     * @return null after a refusal
     */
    static ControlConditions read(PlanningContext context, Window.Control window, AggregationPlan of) {
        Schema in = context.input().schema();
        if (!WindowFields.hasControl(context.fields())) {
            ControlAggregate.Borders borders = borders(context, window, Scope.of(in));
            return borders == null ? null : new ControlConditions(borders, null, null);
        }
        Stream controls = context.inputs().get(1);
        if (!context.hasTime(controls, WindowFields.CONTROL, "a control window")) {
            return null;
        }
        context.needsOrder(controls, WindowFields.CONTROL);
        ControlAggregate.Borders packets = borders(context, window, Scope.of(in).and(WindowFields.CONTROL,
                controls.schema().allNullable()));
        ControlAggregate.Borders others = packets == null ? null : borders(context, window, Scope.of(in.allNullable())
                .and(WindowFields.CONTROL, controls.schema()));
        Values written = context.fields().fields("window");
        FurtherKeys on = of == null ? null : FurtherKeys.read(context, controls.schema(),
                new FurtherKeys.Written("on", written.place("on"), written.texts("on")), of.keySchema());
        return others == null || on == null ? null : new ControlConditions(packets, others, on);
    }

    private static ControlAggregate.Borders borders(PlanningContext context, Window.Control window, Scope scope) {
        Values written = context.fields().fields("window");
        Compiled<Predicate> open = context.expressions().predicate(scope, Snippet.of(written.text("open")));
        boolean asks = WindowFields.asksTheWindow(context.input().schema(), written.text("close").value());
        Scope closing = asks ? scope.and(WindowFields.WINDOW, ControlAggregate.WINDOW) : scope;
        Compiled<Predicate> close = context.expressions().predicate(closing, Snippet.of(written.text("close")));
        return open == null || close == null ? null : new ControlAggregate.Borders(open, close, asks, window.most());
    }

    /** Whether there is a port {@code control}. */
    boolean isOfTwoStreams() {
        return controls != null;
    }

    /** Why rows have no event time; null if they may have it. */
    String losesTime(PlanningContext context) {
        return isOfTwoStreams() && context.planning().options().target() == Target.SPARK_STREAMING ? "its rows are a microsecond "
                + "older than the packets at `control` that end their windows, and a watermark of Spark's may have passed that"
                : null;
    }

    List<Compiled<?>> code() {
        return controls == null ? List.of(packets.open(), packets.close()) : Arrays.asList(packets.open(), packets.close(),
                controls.open(), controls.close(), on.plan() == null ? null : on.plan().compiled());
    }

    /** An operator of two streams. */
    Operator make(InstanceContext making, AggregationPlan plan) {
        return new ControlledAggregate(new ControlledAggregate.Side(making.order(0), making.keys(plan.keys()), packets),
                new ControlledAggregate.Side(making.order(1), making.keys(on.plan()), controls), plan.compiled());
    }
}
