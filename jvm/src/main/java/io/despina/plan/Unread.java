package io.despina.plan;

import io.despina.spec.Partition;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Finds columns that no operator reads and that need not be filled: csv files need not parse them, and {@code explode} need not
 * repeat them for each element. These are columns of a port that only projections read (after {@code explode} also aggregates),
 * and that none of their expressions uses. If bad records of a file are counted or kept, every column is parsed, as on Spark.
 */
final class Unread {
    private final Map<String, PlannedOperator> all;
    private final List<PlannedLink> links;

    Unread(Map<String, PlannedOperator> all, List<PlannedLink> links) {
        this.all = all;
        this.links = links;
    }

    /** The operator, without unread columns if it can leave them out. */
    PlannedOperator leftOut(PlannedOperator operator) {
        return operator.spec() instanceof Prunable spec && spec.isPrunable(operator.onError())
                ? operator.with(spec.without(unread(operator, spec))) : operator;
    }

    /** The ordinals of columns that may be NULL. */
    private Set<Integer> unread(PlannedOperator operator, Prunable spec) {
        Set<Integer> read = new HashSet<>();
        for (PlannedLink link : links) {
            if (link.from().equals(operator.id()) && link.fromPort().equals("out")) {
                PlannedOperator to = all.get(link.to());
                Set<Integer> there = passesOn(link, to) || !spec.prunesFor(to.spec()) || !isDealtOutUnseen(link, to.spec())
                        ? null : to.spec().reads();
                if (there == null) {
                    return Set.of();
                }
                read.addAll(there);
            }
        }
        PlannedPort out = operator.outputs().get(0);
        if (out.eventTime() != null) {
            read.addAll(out.eventTime().order());
            read.addAll(out.eventTime().per());
        }
        return IntStream.range(0, out.schema().size() - spec.own()).boxed()
                .filter(k -> out.schema().column(k).nullable() && !read.contains(k)).collect(Collectors.toSet());
    }

    /** Whether whole packets are copied: by a reordering link, or to a port for late packets or dead letters. */
    private static boolean passesOn(PlannedLink link, PlannedOperator to) {
        return !link.columns().isEmpty() || to.outputs().stream().anyMatch(port -> port.linked() && !port.name().equals("out"));
    }

    /**
     * Whether partitioning reads only columns that the receiver reads. With groups, packets are partitioned by their keys, which
     * the receiver reads too; another partition does not qualify.
     */
    private static boolean isDealtOutUnseen(PlannedLink link, OperatorSpec to) {
        return to.isKeyed() || !(link.partition() instanceof Partition.Hash || link.partition() instanceof Partition.Custom);
    }
}
