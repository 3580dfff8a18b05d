package io.despina.plan;

import io.despina.expr.AggregationPlan;
import io.despina.packet.Schema;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Columns that nobody reads need not be made: those of a csv file need not be parsed, and {@code explode} need not repeat them for
 * each element. They are those of a port that only projections read (behind {@code explode} also aggregates), and that are in none
 * of their expressions. Where bad records of a file are counted or kept, every column is looked at, as on Spark.
 */
final class Unread {
    private final Map<String, PlannedOperator> all;
    private final List<PlannedLink> links;

    Unread(Map<String, PlannedOperator> all, List<PlannedLink> links) {
        this.all = all;
        this.links = links;
    }

    /** The operator, without the columns that nobody reads if it can do without. */
    PlannedOperator leftOut(PlannedOperator operator) {
        if (operator.spec() instanceof OperatorSpec.FileSource file && file.format() == OperatorSpec.Format.CSV
                && operator.onError() == OnError.FAIL) {
            // A fault in a column that is not parsed goes unseen, and on Spark it does not: no more of that than pays.
            return operator.with(file.without(unread(operator, file.schema(), Unread::readByProjection)));
        }
        if (operator.spec() instanceof OperatorSpec.Explode explode) {
            return operator.with(explode.without(unread(operator, operator.inputs().get(0).schema(), Unread::read)));
        }
        return operator;
    }

    /**
     * Those of the operator's first columns.
     *
     * @param reads the ordinals of what an operator reads of packets that come by a link; null for all
     */
    private Set<Integer> unread(PlannedOperator operator, Schema first,
            BiFunction<PlannedLink, PlannedOperator, Set<Integer>> reads) {
        List<PlannedLink> out = links.stream().filter(l -> l.from().equals(operator.id()) && l.fromPort().equals("out")).toList();
        Set<Integer> read = new HashSet<>();
        for (PlannedLink link : out) {
            PlannedOperator to = all.get(link.to());
            Set<Integer> there = readsWhole(link, to) ? null : reads.apply(link, to);
            if (there == null) {
                return Set.of();
            }
            read.addAll(there);
        }
        EventTime time = operator.outputs().get(0).eventTime();
        if (time != null) {
            read.addAll(time.order());
        }
        return out.isEmpty() ? Set.of() : IntStream.range(0, first.size()).boxed().filter(column -> !read.contains(column))
                .collect(Collectors.toSet());
    }

    /** Whether more than expressions looks at packets: a partition, a reorder, or a port by which they go on as they are. */
    private static boolean readsWhole(PlannedLink link, PlannedOperator to) {
        return link.partition() instanceof PartitionSpec.Custom || !link.columns().isEmpty()
                || to.outputs().stream().anyMatch(port -> port.linked() && !port.name().equals("out"));
    }

    private static Set<Integer> readByProjection(PlannedLink link, PlannedOperator to) {
        return to.spec() instanceof OperatorSpec.Project project && !isByKey(link) ? project.select().reads() : null;
    }

    private static Set<Integer> read(PlannedLink link, PlannedOperator to) {
        if (to.spec() instanceof OperatorSpec.Aggregate aggregate) {
            AggregationPlan plan = aggregate.plan();
            return isByKey(link) && plan.keys() == null ? null : plan.reads();      // dealt out by the keys of its groups
        }
        return readByProjection(link, to);
    }

    private static boolean isByKey(PlannedLink link) {
        return link.partition() instanceof PartitionSpec.Hash;
    }
}
