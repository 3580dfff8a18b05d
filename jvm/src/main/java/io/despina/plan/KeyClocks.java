package io.despina.plan;

import io.despina.descriptor.Rule;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import java.util.List;

/**
 * The clocks of an operator that is grouped by the columns of its stream's {@code per}.
 *
 * @param keys           a packet to the key whose clock it moves
 * @param columns        by column of the key, its ordinal in the key of the operator's groups
 * @param time           of the input
 */
public record KeyClocks(ProjectionPlan keys, List<Integer> columns, EventTime time) {
    public KeyClocks {
        columns = List.copyOf(columns);
    }

    /**
     * Whether the operator can have them, or needs none; reports it if its groups are not within the keys.
     *
     * @param groups a packet to its group; null without groups
     */
    public static boolean fit(PlanningContext context, ProjectionPlan groups) {
        return fit(context, groups, "group_by");
    }

    /** @param field where the operator names its groups */
    public static boolean fit(PlanningContext context, ProjectionPlan groups, String field) {
        EventTime time = context.input().time();
        if (time == null || !time.isPerKey() || groups != null && groups.origins().containsAll(time.per())) {
            return true;
        }
        context.refuse(context.operator().place(), Rule.EVENT_TIME, "`" + context.operator().id() + "` is not grouped by "
                + names(context.input()) + ", so it needs one clock for all packets, and the stream at `in` has one for each "
                + "of their values", "add " + names(context.input()) + " to its `" + field + "`, or leave `per` out of the "
                + "source's event_time");
        return false;
    }

    /** @param groups as of {@link #fit}, which has said yes. @return null if all packets have one clock, as on Spark */
    public static KeyClocks of(PlanningContext context, ProjectionPlan groups) {
        EventTime time = context.input().time();
        if (time == null || !time.isPerKey() || context.planning().options().target().isSpark()) {
            return null;
        }
        Schema in = context.input().schema();
        ProjectionPlan keys = context.expressions().keys(Scope.of(in), texts(context.input()), context.operator().place());
        return keys == null ? null
                : new KeyClocks(keys, EventTimes.copies(time.per(), groups.origins()), time);
    }

    /** By which texts packets are dealt out to the operator. @param groups by which they are otherwise */
    public static List<String> dealing(PlanningContext context, List<String> groups) {
        EventTime time = context.input().time();
        return time == null || !time.isPerKey() ? groups : texts(context.input());
    }

    /** The columns of a stream's keys, as SQL. */
    static List<String> texts(Stream stream) {
        return stream.time().per().stream().map(k -> Column.quoted(stream.schema().column(k).name())).toList();
    }


    /** The same for messages. */
    static String names(Stream stream) {
        return String.join(", ", stream.time().per().stream().map(k -> "`" + stream.schema().column(k).name() + "`").toList());
    }
}
