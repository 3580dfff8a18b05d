package io.despina.plan;

import io.despina.spec.Partition;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The sources of an operator's packets.
 *
 * @param sources ids
 * @param whole   whether an instance that gets packets of a source instance gets all of them
 * @param ordered whether each source instance's packets arrive in the order in which they were made: on one path only, on which
 *                no operator distributes them over its instances
 */
public record Upstream(Set<String> sources, boolean whole, boolean ordered) {
    public Upstream {
        sources = Set.copyOf(sources);
    }

    /** @param operators by id */
    public static Upstream of(String id, Function<String, PlannedOperator> operators, List<PlannedLink> links) {
        Walk walk = new Walk(id, operators, links);
        walk.from(id);
        return new Upstream(walk.sources, walk.whole, walk.ordered);
    }

    private static final class Walk {
        private final String start;
        private final Function<String, PlannedOperator> operators;
        private final List<PlannedLink> links;
        private final Set<String> seen = new HashSet<>();
        private final Set<String> sources = new HashSet<>();
        private boolean whole = true;
        private boolean ordered = true;

        Walk(String start, Function<String, PlannedOperator> operators, List<PlannedLink> links) {
            this.start = start;
            this.operators = operators;
            this.links = links;
        }

        void from(String id) {
            if (!seen.add(id)) {
                return;
            }
            PlannedOperator operator = operators.apply(id);
            if (operator.inputs().isEmpty()) {
                sources.add(id);
            }
            List<PlannedLink> into = links.stream().filter(link -> link.to().equals(id)).toList();
            ordered &= into.size() <= 1;
            for (PlannedLink link : into) {
                boolean one = operator.parallelism() == 1 || link.partition() instanceof Partition.Forward;
                whole &= (one || link.partition() instanceof Partition.Broadcast)
                        && operators.apply(link.from()).spec().keepsAll();
                ordered &= one || id.equals(start);
                from(link.from());
            }
        }
    }
}
