package io.despina.catalogue;

import io.despina.descriptor.Text;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.order.WindowBounds;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.Stream;
import io.despina.spec.EventTime;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which column of a join's rows is their event time. */
final class JoinTimes {
    private static final String SIDE = "\\s*(left|right)\\s*\\.\\s*`?(\\w+)`?\\s*";
    /** {@code greatest(left.ts, right.ts) AS ts}: the event time of a pair. A pattern, compiled when needed. */
    private static final String GREATEST = "(?is)\\s*greatest\\s*\\(" + SIDE + "," + SIDE
            + "\\)\\s*(?:as\\s+)?`?(\\w+)`?\\s*";

    private JoinTimes() {
    }

    /** The event time of a window's rows, if the select list has {@code window_time}. */
    static EventTime ofWindow(ProjectionPlan select, Stream left, Stream right) {
        int column = select.origins().indexOf(left.schema().size() + right.schema().size() + WindowBounds.WINDOW.size());
        return column < 0 ? null : new EventTime(column, List.of(), Math.max(left.time().maxDelayMicros(),
                right.time().maxDelayMicros()), left.time().idleAfterNanos());
    }

    /** The greater of both event times, if the select list has it; null if not. */
    static EventTime greatest(PlanningContext context, Schema out, Stream left, Stream right) {
        Pattern greatest = Pattern.compile(GREATEST);
        for (Text text : context.fields().texts("select")) {
            Matcher matcher = greatest.matcher(text.value());
            if (matcher.matches() && !matcher.group(1).equalsIgnoreCase(matcher.group(3))) {
                boolean leftFirst = matcher.group(1).equalsIgnoreCase("left");
                int l = left.schema().indexOf(matcher.group(leftFirst ? 2 : 4));
                int r = right.schema().indexOf(matcher.group(leftFirst ? 4 : 2));
                if (l == left.time().column() && r == right.time().column()) {
                    return new EventTime(out.indexOf(matcher.group(5)), List.of(), Math.max(left.time().maxDelayMicros(),
                            right.time().maxDelayMicros()), left.time().idleAfterNanos());
                }
            }
        }
        return null;
    }
}
