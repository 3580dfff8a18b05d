package io.despina.plan;

import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.OnError;
import io.despina.spec.Partition;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Columns that nobody reads need not be made: those of a csv file need not be parsed, and {@code explode} need not repeat them
 * for each element. They are those of a port that only projections read (behind {@code explode} aggregates too), and that are
 * in none of their expressions. Where bad records of a file are counted or kept, every column is looked at, as on Spark.
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
        if (operator.spec() instanceof OperatorSpec.FileSource file && file.format() == FileFormat.CSV
                && operator.onError() == OnError.FAIL) {
            // A fault in a column that is not parsed goes unseen, and on Spark it does not: no more of that than pays.
            return operator.with(file.without(unread(operator, file.schema(), Unread::projected)));
        }
        if (operator.spec() instanceof OperatorSpec.Explode explode) {
            return operator.with(explode.without(unread(operator, operator.inputs().get(0).schema(), Unread::computed)));
        }
        return operator;
    }

    /**
     * The ordinals of those that may be NULL.
     *
     * @param made  columns that the operator puts out, its first ones
     * @param reads the ordinals of what is read of packets that come by a link; null for all
     */
    private Set<Integer> unread(PlannedOperator operator, Schema made,
            BiFunction<PlannedLink, PlannedOperator, Set<Integer>> reads) {
        Set<Integer> read = new HashSet<>();
        for (PlannedLink link : links) {
            if (link.from().equals(operator.id()) && link.fromPort().equals("out")) {
                PlannedOperator to = all.get(link.to());
                Set<Integer> there = passesOn(link, to) ? null : reads.apply(link, to);
                if (there == null) {
                    return Set.of();
                }
                read.addAll(there);
            }
        }
        EventTime time = operator.outputs().get(0).eventTime();
        if (time != null) {
            read.addAll(time.order());
        }
        return IntStream.range(0, made.size()).boxed().filter(k -> made.column(k).nullable() && !read.contains(k))
                .collect(Collectors.toSet());
    }

    /** Whether packets go somewhere as they are: a reorder on the way, or a port for late ones or letters. */
    private static boolean passesOn(PlannedLink link, PlannedOperator to) {
        return !link.columns().isEmpty() || to.outputs().stream().anyMatch(port -> port.linked() && !port.name().equals("out"));
    }

    private static Set<Integer> projected(PlannedLink link, PlannedOperator to) {
        return to.spec() instanceof OperatorSpec.Project project && isBlind(link.partition()) ? project.select().reads() : null;
    }

    private static Set<Integer> computed(PlannedLink link, PlannedOperator to) {
        // With groups packets are dealt out by their keys, which the aggregate reads too: no other partition is taken.
        return to.spec() instanceof OperatorSpec.Aggregate aggregate
                && (aggregate.plan().keys() != null || isBlind(link.partition())) ? aggregate.plan().reads() : projected(link, to);
    }

    /** Whether packets are dealt out without a look at them. */
    private static boolean isBlind(Partition partition) {
        return !(partition instanceof Partition.Hash || partition instanceof Partition.Custom);
    }
}
