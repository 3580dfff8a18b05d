package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.FieldSpec.optional;

import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.order.WindowBounds;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.ExpressionChecker;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.spec.Clock;
import io.despina.spec.EventTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The {@code select} of an operator whose packets leave when a window closes.
 *
 * @param plan null for whole packets
 */
public record WindowSelect(ProjectionPlan plan) {
    public static final FieldSpec FIELD = optional("select", EXPRESSIONS, "the packet as it came",
            "The row: `expr AS name`, a column, or "
            + "`*` for the packet's columns; also `window.start`, `window.end` and `window_time`. That is the end less 1 µs, and "
            + "the event time of the stream at `out`. Without it that stream has none: the watermark has passed the packets.");
    private static final String WINDOW = "window";
    /** The event time of its rows. */
    public static final String TIME = "window_time";
    /** The names that it adds to the packet's columns. */
    public static final List<String> ADDED = List.of(WINDOW, TIME);
    private static final String RENAME = "give the stream's another name by a project before";

    /** Null after a refusal. */
    public static WindowSelect read(PlanningContext context) {
        if (!context.fields().isWritten("select")) {
            return new WindowSelect(null);
        }
        Schema in = context.input().schema();
        Scope scope = Scope.of(in).and(WINDOW, WindowBounds.WINDOW).and(null, WindowBounds.TIME);
        WindowSelect select = of(context, context.expressions().explaining(WindowSelect::explained), scope);
        return select == null || in.indexOf(WINDOW) < 0 || !select.readsWindow(in.size()) ? select
                : context.refuse(context.fields().place("select"), Rule.DUPLICATE_COLUMN, taken(WINDOW), RENAME);
    }

    private boolean readsWindow(int first) {
        return plan.reads().stream().anyMatch(column -> column >= first && column < first + WindowBounds.WINDOW.size());
    }

    /** A name that the stream has too is an error only in a list that has it. */
    private static Problem explained(Snippet snippet, Problem problem) {
        return !problem.message().equalsIgnoreCase("`" + TIME + "` is ambiguous") ? problem
                : new Problem(problem.text(), problem.from(), problem.to(), Rule.DUPLICATE_COLUMN.code(), taken(TIME), RENAME);
    }

    private static String taken(String name) {
        return "the stream has a column `" + name + "`, and `select` one of its own by that name";
    }

    /** Where there is no window: over the packet alone. Null after a refusal. */
    public static WindowSelect withoutWindow(PlanningContext context) {
        return context.fields().isWritten("select") ? of(context, context.expressions(),
                Scope.of(context.input().schema())) : new WindowSelect(null);
    }

    private static WindowSelect of(PlanningContext context, ExpressionChecker expressions, Scope scope) {
        ProjectionPlan plan = expressions.project(scope, Snippet.of(context.fields().texts("select")));
        return plan == null ? null : new WindowSelect(plan);
    }

    /**
     * The columns that an operator with such a select list reads; null for all.
     *
     * @param keys of its groups, or null
     * @param more columns that it needs besides
     */
    public static Set<Integer> reads(ProjectionPlan select, ProjectionPlan keys, Collection<Integer> more) {
        if (select == null) {
            return null;
        }
        Set<Integer> reads = new HashSet<>(select.reads());
        reads.addAll(more);
        reads.addAll(keys == null ? Set.of() : keys.reads());
        return reads;
    }

    /**
     * The stream that leaves. Time per key survives only together with the columns of the key, and by the wall clock there is no
     * event time.
     */
    public Stream out(Stream in, Clock clock) {
        int column = plan == null || clock == Clock.PROCESSING ? -1
                : plan.origins().indexOf(in.schema().size() + WindowBounds.WINDOW.size());
        List<Integer> per = column < 0 ? List.of() : EventTimes.copies(in.time().per(), plan.origins());
        EventTime time = column < 0 || per.contains(-1) ? null : in.time().at(column, List.of(), per).inOrder();
        return in.with(plan == null ? in.schema() : plan.result(), time);
    }
}
