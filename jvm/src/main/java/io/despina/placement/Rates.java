package io.despina.placement;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much comes to each operator, in packets per second.
 *
 * @param taken by operator: packets that it takes, or as a source makes
 */
public record Rates(Map<String, Double> taken) {
    /** Beyond what any machine does, and sums of products of it are numbers. */
    private static final double MOST = 1e15;

    /**
     * Follows what arrives through the graph.
     *
     * @param graph of the plan
     * @param given by source; of the others those of the report hold
     */
    public static Checked<Rates> of(Plan plan, Graph graph, Costs costs, Map<String, Double> given) {
        Diagnostics diagnostics = new Diagnostics(graph.file());
        List<String> sources = plan.operators().stream().filter(each -> each.type().isSource()).map(PlannedOperator::id).toList();
        given.keySet().stream().filter(id -> !sources.contains(id)).forEach(id -> diagnostics.error(new Place(0, 1, 1, ""),
                Rule.UNKNOWN_OPERATOR, "a rate is given for `" + id + "`, which is no source of the graph",
                Nearest.hint(id, sources)));
        given.forEach((id, rate) -> {
            if (!(rate > 0 && rate <= MOST)) {
                diagnostics.error(new Place(0, 1, 1, ""), Rule.OUT_OF_RANGE, "the rate of `" + id + "` is " + rate
                        + " packets per second", "more than 0, and 1e15 at most");
            }
        });
        Map<String, Double> taken = new HashMap<>();
        for (PlannedOperator operator : plan.operators()) {
            Double rate = !operator.type().isSource() ? Double.valueOf(arriving(plan, operator, costs, taken))
                    : given.containsKey(operator.id()) ? given.get(operator.id()) : costs.rates().get(operator.id());
            if (rate == null) {
                diagnostics.error(written(graph, operator), Rule.MISSING_FIELD, "nothing says how much comes from `"
                        + operator.id() + "`", "give its rate in packets per second, as " + operator.id() + "=1000, by `rates` ("
                        + "`--rates`), or the report of a run");
            }
            taken.put(operator.id(), rate == null ? 0 : rate);
        }
        return Checked.of(new Rates(taken), diagnostics);
    }

    private static double arriving(Plan plan, PlannedOperator operator, Costs costs, Map<String, Double> taken) {
        return plan.links().stream().filter(link -> link.to().equals(operator.id()))
                .mapToDouble(link -> taken.get(link.from()) * costs.ratio(plan.operator(link.from()), link)).sum();
    }

    private static Place written(Graph graph, PlannedOperator operator) {
        return graph.operators().stream().filter(each -> each.id().equals(operator.id())).findFirst().orElseThrow().place();
    }
}
