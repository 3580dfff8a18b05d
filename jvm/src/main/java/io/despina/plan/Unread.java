package io.despina.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Columns of csv files that nobody reads need not be parsed: those of a source that only projections read, and that are in none
 * of their expressions. Where bad records are counted or kept, every column is looked at, as on Spark.
 */
final class Unread {
    private Unread() {
    }

    /** The operator, if it is such a source without the columns that nobody reads. */
    static PlannedOperator leftOut(PlannedOperator operator, Map<String, PlannedOperator> all, List<PlannedLink> links) {
        List<PlannedLink> out = links.stream().filter(l -> l.from().equals(operator.id()) && l.fromPort().equals("out")).toList();
        if (!(operator.spec() instanceof OperatorSpec.FileSource file) || file.format() != OperatorSpec.Format.CSV
                || operator.onError() != OnError.FAIL || out.isEmpty()) {
            return operator;
        }
        Set<Integer> read = new HashSet<>();
        for (PlannedLink link : out) {
            PlannedOperator to = all.get(link.to());
            if (!(to.spec() instanceof OperatorSpec.Project project) || readsWhole(link, to)) {
                return operator;
            }
            read.addAll(project.select().reads());
        }
        if (operator.assigns() != null) {
            read.add(operator.assigns().column());
            read.addAll(operator.assigns().orderBy());
        }
        return operator.with(file.without(IntStream.range(0, file.schema().size()).boxed()
                .filter(column -> !read.contains(column)).collect(Collectors.toSet())));
    }

    /** Whether more than the projection's expressions looks at packets: keys, a reorder, or letters about those that failed. */
    private static boolean readsWhole(PlannedLink link, PlannedOperator to) {
        return link.partition() instanceof PartitionSpec.Hash || link.partition() instanceof PartitionSpec.Custom
                || !link.columns().isEmpty() || to.onError() == OnError.DEAD_LETTER;
    }
}
