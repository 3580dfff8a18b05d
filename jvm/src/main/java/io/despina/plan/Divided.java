package io.despina.plan;

import io.despina.spec.OnError;
import io.despina.spec.Partition;
import io.despina.spec.Schedule;

/**
 * Which operators are divided: a part of them adds packets up in the tasks before a link that deals packets out, so that fewer
 * rows travel. All links into such an operator deal out by its key, each is the only one out of its sender, and neither end
 * blocks or has a schedule. Bad records end the job, and late packets are only counted, because nobody can tell them from a row
 * in which they have been added up. A graph that limits its packets keeps them, because such rows may be longer.
 */
final class Divided {
    private Divided() {
    }

    static boolean is(Plan plan, PlannedOperator operator) {
        return operator.spec().canBeDivided() && operator.onError() == OnError.FAIL && isFree(operator)
                && operator.outputs().stream().noneMatch(port -> port.linked() && !port.name().equals("out"))
                && plan.settings().maxPacketBytes() == 0
                && plan.linksInto(operator.id(), "in").stream().allMatch(link -> isDealtOut(plan, link));
    }

    private static boolean isDealtOut(Plan plan, PlannedLink link) {
        return link.partition() instanceof Partition.Hash && link.fromPort().equals("out") && link.columns().isEmpty()
                && isFree(plan.operator(link.from()))
                && plan.links().stream().filter(other -> other.from().equals(link.from())).count() == 1;
    }

    private static boolean isFree(PlannedOperator operator) {
        return !operator.blocks() && operator.schedule() instanceof Schedule.Data;
    }
}
