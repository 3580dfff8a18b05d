package io.despina.plan;

import io.despina.spec.BucketMap;
import io.despina.spec.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A checked graph.
 *
 * @param doc       the graph's doc; empty if it has none
 * @param operators ordered so that every operator follows those it reads from
 * @param links     in the file's order
 * @param chains    every operator is in exactly one; chains are as long as possible, so placement only cuts them
 * @param unbounded whether a source may be endless
 */
public record Plan(String name, String doc, Settings settings, List<PlannedOperator> operators, List<PlannedLink> links,
        List<PlannedChain> chains, boolean unbounded) {

    public Plan {
        operators = List.copyOf(operators);
        links = List.copyOf(links);
        chains = List.copyOf(chains);
    }

    /** @throws IllegalArgumentException if the graph has no such operator */
    public PlannedOperator operator(String id) {
        return operators.stream().filter(o -> o.id().equals(id)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no operator " + id));
    }

    /** Whether a part of the operator runs in the tasks before it: see {@link Divided}. */
    public boolean isDivided(PlannedOperator operator) {
        return Divided.is(this, operator);
    }

    /** Whether the link carries what packets have been added up to, in place of packets. */
    public boolean carriesParts(PlannedLink link) {
        return isDivided(operator(link.to()));
    }

    /** The operator of which a part runs behind that one, in its task; empty if there is none. */
    public Optional<String> partBehind(String operator) {
        return links.stream().filter(link -> link.from().equals(operator) && carriesParts(link)).map(PlannedLink::to).findFirst();
    }

    /**
     * By operator: who has which bucket when a job starts. Operators have buckets if links deal packets out to them by keys, or
     * in turn to some of their instances: those that have a bucket.
     */
    public Map<String, BucketMap> buckets() {
        Map<String, BucketMap> all = new TreeMap<>();
        for (PlannedLink link : links) {
            PlannedOperator.Instances of = operator(link.to()).instances();
            boolean some = of.start() < of.most() && (link.partition() instanceof Partition.RoundRobin
                    || link.partition() instanceof Partition.LeastLoaded);
            if (some || link.partition() instanceof Partition.Hash) {
                all.put(link.to(), BucketMap.even(settings.buckets(), of.start(), of.most()));
            }
        }
        return all;
    }

    /** The links out of one output port, in the file's order. */
    public List<PlannedLink> linksFrom(String operator, String port) {
        return links.stream().filter(l -> l.from().equals(operator) && l.fromPort().equals(port)).toList();
    }

    /** The links into one input port, in the file's order. */
    public List<PlannedLink> linksInto(String operator, String port) {
        return links.stream().filter(l -> l.to().equals(operator) && l.toPort().equals(port)).toList();
    }

    /** The operators behind that one whose work its process may do too, in order; see {@link SharedProcesses}. */
    public List<PlannedOperator> sharing(String operator) {
        List<PlannedOperator> row = new ArrayList<>();
        for (Optional<String> next = sharedBehind(operator); next.isPresent(); next = sharedBehind(next.get())) {
            row.add(operator(next.get()));
        }
        return row;
    }

    private Optional<String> sharedBehind(String operator) {
        return links.stream().filter(link -> link.shared() && link.from().equals(operator)).map(PlannedLink::to).findFirst();
    }
}
