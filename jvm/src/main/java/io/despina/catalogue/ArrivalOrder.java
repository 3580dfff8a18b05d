package io.despina.catalogue;

import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import java.util.List;
import java.util.regex.Pattern;

/** Warns of aggregates whose values depend on an order of packets that is not settled. */
final class ArrivalOrder {
    /** Patterns, compiled when needed, because a starting process only declares most operators. */
    private static final String ENDS = "(?i)\\b(first|last|first_value|last_value)\\s*\\(";
    private static final String BY_ARRIVAL = "(?i)\\b(collect_list|array_agg|listagg|string_agg|any_value|max_by|min_by|mode)\\b";

    private ArrivalOrder() {
    }

    /**
     * Warns of a select list.
     *
     * @param inOrder  whether packets are added in event order; if not, {@code first} and {@code last} look for it themselves
     * @param anyOrder whether the windows are alike in any order of packets
     */
    static void warn(PlanningContext context, List<Snippet> select, boolean inOrder, boolean anyOrder) {
        boolean byArrival = has(BY_ARRIVAL, select) && context.expressions().goesByArrival(select);
        if (inOrder && (!anyOrder || byArrival) || has(ENDS, select)) {
            context.needsOrder(context.input(), "in");
        }
        if (!inOrder && byArrival) {
            context.expressions().warnOfArrival(select, order(context.input()));
        }
    }

    private static boolean has(String pattern, List<Snippet> select) {
        Pattern compiled = Pattern.compile(pattern);
        return select.stream().anyMatch(each -> compiled.matcher(each.sql()).find());
    }

    /** The columns of event order; none without event time. */
    private static List<String> order(Stream in) {
        return in.time() == null ? List.of() : in.time().order().stream().map(k -> in.schema().column(k).name()).toList();
    }
}
