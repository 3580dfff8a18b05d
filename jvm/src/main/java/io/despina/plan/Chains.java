package io.despina.plan;

import io.despina.descriptor.Values;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fuses operators into chains: two operators fuse over a forward link if their parallelism is equal, neither end blocks or has a
 * schedule, and the link is the only one into the receiver and out of the sender. Where the sender chooses a port for each packet
 * and has several links, {@code fuse: true} on one fuses it, if it is the only one of its port: its way shares the sender's
 * thread then. {@code fuse: false} forbids it.
 */
final class Chains {
    private Chains() {
    }

    /** @param written the link's fields */
    static boolean isFused(PlannedLink link, Values written, Map<String, PlannedOperator> operators, List<PlannedLink> links) {
        PlannedOperator from = operators.get(link.from());
        PlannedOperator to = operators.get(link.to());
        return written.flag("fuse") && link.partition() instanceof Partition.Forward && from.parallelism() == to.parallelism()
                && link.columns().isEmpty() && isFree(from) && isFree(to) && !to.spec().holdsBack()
                && isAlone(link, written.isWritten("fuse"), from, links)
                && links.stream().filter(l -> l.to().equals(to.id())).count() == 1;
    }

    private static boolean isAlone(PlannedLink link, boolean asked, PlannedOperator from, List<PlannedLink> links) {
        if (asked && from.spec().choosesPorts()) {
            return !link.fromPort().equals("errors") && links.stream()
                    .filter(l -> l.from().equals(from.id()) && l.fromPort().equals(link.fromPort())).count() == 1;
        }
        return link.fromPort().equals("out") && links.stream().filter(l -> l.from().equals(from.id())).count() == 1;
    }

    private static boolean isFree(PlannedOperator operator) {
        return !operator.blocks() && operator.schedule() instanceof Schedule.Data;
    }

    /** @param operators in the plan's order */
    static List<PlannedChain> of(List<PlannedOperator> operators, List<PlannedLink> links) {
        List<PlannedChain> chains = new ArrayList<>();
        for (PlannedOperator operator : operators) {
            if (links.stream().noneMatch(l -> l.fused() && l.to().equals(operator.id()))) {
                chains.add(from(operator, links));
            }
        }
        return chains;
    }

    private static PlannedChain from(PlannedOperator first, List<PlannedLink> links) {
        List<String> ids = new ArrayList<>(List.of(first.id()));
        Map<String, String> before = new HashMap<>();
        for (int k = 0; k < ids.size(); k++) {
            String id = ids.get(k);
            links.stream().filter(l -> l.fused() && l.from().equals(id)).forEach(l -> {
                before.put(l.to(), id);
                ids.add(l.to());
            });
        }
        return new PlannedChain(ids, before, first.parallelism());
    }
}
