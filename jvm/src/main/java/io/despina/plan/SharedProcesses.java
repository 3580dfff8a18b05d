package io.despina.plan;

import io.despina.descriptor.Values;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;
import java.util.List;
import java.util.Map;

/**
 * Which operators share a process: one whose functions the process of the operator before it can call too, with what it has just
 * given, so that packets cross to it once. The link between them leads from port {@code out}, is the only one there and into the
 * receiver, and passes each packet to the instance of the same number; its receiver has no schedule. {@code fuse: false} keeps
 * them apart. They are tasks of their own all the same.
 */
final class SharedProcesses {
    private SharedProcesses() {
    }

    /** @param written the link's fields */
    static boolean is(PlannedLink link, Values written, Map<String, PlannedOperator> operators, List<PlannedLink> links) {
        PlannedOperator from = operators.get(link.from());
        PlannedOperator to = operators.get(link.to());
        return from.spec().sharesProcess(to.spec()) && written.flag("fuse") && link.fromPort().equals("out")
                && link.partition() instanceof Partition.Forward && from.instances().equals(to.instances())
                && link.columns().isEmpty() && to.schedule() instanceof Schedule.Data
                && links.stream().filter(l -> l.from().equals(from.id()) && l.fromPort().equals("out")).count() == 1
                && links.stream().filter(l -> l.to().equals(to.id())).count() == 1;
    }
}
