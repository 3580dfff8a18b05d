package io.despina.plan;

import io.despina.descriptor.Rule;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Column;
import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.List;

/**
 * The clocks of a join of two streams with time per key, whose equalities pair the columns of both streams' {@code per}.
 *
 * @param columns by column of a clock's key, in the order of the left {@code per}, its ordinal in the keys of the join
 */
public record JoinClocks(List<Integer> columns, Side left, Side right) {
    public JoinClocks {
        columns = List.copyOf(columns);
    }

    /**
     * One of the two streams.
     *
     * @param per            by column of a clock's key, its ordinal in the stream
     * @param dealing        the same as SQL: by these texts packets are dealt out
     * @param time           of the stream
     */
    public record Side(List<Integer> per, List<String> dealing, EventTime time) {
        private static Side of(Stream stream, List<Integer> per) {
            return new Side(per, per.stream().map(k -> Column.quoted(stream.schema().column(k).name())).toList(),
                    stream.time());
        }
    }

    /**
     * Whether the join can have them, or needs none; reports it if not.
     *
     * @param leftKeys  what a left packet has that must equal the same of a right one; null for nothing
     * @param rightKeys of the same size
     */
    public static boolean fit(PlanningContext context, ProjectionPlan leftKeys, ProjectionPlan rightKeys) {
        Stream left = context.inputs().get(0);
        Stream right = context.inputs().get(1);
        if (!left.time().isPerKey() && !right.time().isPerKey()) {
            return true;
        }
        String id = context.operator().id();
        if (!left.time().isPerKey() || !right.time().isPerKey()) {
            Stream keyed = left.time().isPerKey() ? left : right;
            String port = keyed == left ? "left" : "right";
            String other = keyed == left ? "right" : "left";
            context.refuse(context.operator().place(), Rule.EVENT_TIME, "the stream at `" + port + "` of `" + id + "` has a "
                    + "clock for each value of " + KeyClocks.names(keyed) + ", and the one at `" + other + "` has one clock for "
                    + "all packets", "add `per` to the event_time of the source of `" + other + "`, with the columns that `on` "
                    + "equates with " + KeyClocks.names(keyed) + ", or leave `per` out of the other source's");
            return false;
        }
        if (pairs(left, leftKeys, right, rightKeys) != null) {
            return true;
        }
        context.refuse(context.operator().place(), Rule.EVENT_TIME, "`on` of `" + id + "` does not equate the columns of `per`, "
                + KeyClocks.names(left) + " at `left` and " + KeyClocks.names(right) + " at `right`, so it needs one clock for "
                + "all packets, and each stream has one for each of their values", "let `on` have an equality of columns, "
                + "without a cast, for each column of `per`, or leave `per` out of the sources' event_time");
        return false;
    }

    /** @param leftKeys and the right ones as of {@link #fit}, which has said yes. @return null if one watermark is for all */
    public static JoinClocks of(PlanningContext context, ProjectionPlan leftKeys, ProjectionPlan rightKeys) {
        Stream left = context.inputs().get(0);
        Stream right = context.inputs().get(1);
        if (!left.time().isPerKey()) {
            return null;
        }
        List<Integer> columns = pairs(left, leftKeys, right, rightKeys);
        return new JoinClocks(columns, Side.of(left, left.time().per()),
                Side.of(right, columns.stream().map(rightKeys.origins()::get).toList()));
    }

    /** For each column of the left {@code per}, the equality of it with one of the right; null if they do not fit. */
    private static List<Integer> pairs(Stream left, ProjectionPlan leftKeys, Stream right, ProjectionPlan rightKeys) {
        List<Integer> rest = new ArrayList<>(right.time().per());
        List<Integer> pairs = new ArrayList<>();
        for (int column : left.time().per()) {
            for (int k = 0; leftKeys != null && k < leftKeys.origins().size(); k++) {
                if (leftKeys.origins().get(k) == column && rest.remove(rightKeys.origins().get(k))) {
                    pairs.add(k);
                    break;
                }
            }
        }
        return rest.isEmpty() && pairs.size() == left.time().per().size() ? pairs : null;
    }

    /**
     * The event time of the rows, which leave key by key in its order. They have it only together with the columns of the key.
     *
     * @param time    if one watermark were for all; may be null
     * @param origins by column of a row, the column of the left or, after those, the right stream that it copies
     * @param sides   in which columns of the key are never NULL for want of a packet: left and right
     */
    public EventTime behind(EventTime time, List<Integer> origins, int leftColumns, boolean[] sides) {
        List<Integer> per = new ArrayList<>();
        for (int k = 0; time != null && k < columns.size(); k++) {
            int of = sides[0] ? origins.indexOf(left.per.get(k)) : -1;
            per.add(of < 0 && sides[1] ? origins.indexOf(leftColumns + right.per.get(k)) : of);
        }
        return time == null || per.contains(-1) ? null
                : new EventTime(time.column(), time.orderBy(), 0,
                        Math.max(left.time.idleAfterNanos(), right.time.idleAfterNanos()), per);
    }
}
