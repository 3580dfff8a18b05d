package io.despina.plan;

import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fuses operators into chains: two operators fuse over a forward link if their parallelism is equal, neither end blocks or has a
 * schedule, and the link is the only one out of the sender and into the receiver. {@code fuse: false} forbids it.
 */
final class Chains {
    private Chains() {
    }

    static boolean isFused(PlannedLink link, boolean fuse, Map<String, PlannedOperator> operators, List<PlannedLink> links) {
        PlannedOperator from = operators.get(link.from());
        PlannedOperator to = operators.get(link.to());
        return fuse && link.partition() instanceof Partition.Forward && from.parallelism() == to.parallelism()
                && link.fromPort().equals("out") && link.columns().isEmpty() && isFree(from) && isFree(to)
                && !to.spec().holdsBack()
                && links.stream().filter(l -> l.from().equals(from.id())).count() == 1
                && links.stream().filter(l -> l.to().equals(to.id())).count() == 1;
    }

    private static boolean isFree(PlannedOperator operator) {
        return !operator.blocks() && operator.schedule() instanceof Schedule.Data;
    }

    /** @param operators in the plan's order */
    static List<PlannedChain> of(List<PlannedOperator> operators, List<PlannedLink> links) {
        List<PlannedChain> chains = new ArrayList<>();
        for (PlannedOperator operator : operators) {
            if (links.stream().noneMatch(l -> l.fused() && l.to().equals(operator.id()))) {
                List<String> ids = new ArrayList<>(List.of(operator.id()));
                for (PlannedLink next = fusedFrom(operator.id(), links); next != null; next = fusedFrom(next.to(), links)) {
                    ids.add(next.to());
                }
                chains.add(new PlannedChain(ids, operator.parallelism()));
            }
        }
        return chains;
    }

    private static PlannedLink fusedFrom(String id, List<PlannedLink> links) {
        return links.stream().filter(l -> l.fused() && l.from().equals(id)).findFirst().orElse(null);
    }
}
