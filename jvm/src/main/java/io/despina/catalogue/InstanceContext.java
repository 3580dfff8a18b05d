package io.despina.catalogue;

import io.despina.expr.ProjectionPlan;
import io.despina.operator.FolderNotices;
import io.despina.operator.Keys;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.spec.EventTime;
import io.despina.state.EventOrder;
import java.util.concurrent.Executor;

/**
 * What instances of one operator are made with, besides what it is to do.
 *
 * @param operator one of the plan
 * @param around   what the process has for it
 */
public record InstanceContext(Plan plan, PlannedOperator operator, Around around) {

    /**
     * What a process has for operators.
     *
     * @param python  null where no operator has an end in Python
     * @param notices of files that are followed
     * @param disk    puts rolled files on disk
     * @param userClasses has the classes of the user's jars; null where no operator needs one
     */
    public record Around(PythonConnections python, FolderNotices notices, Executor disk, ClassLoader userClasses) {
    }

    String id() {
        return operator.id();
    }

    PlannedPort input(int port) {
        return operator.inputs().get(port);
    }

    /** The order of an input's packets; null if it has no event time. */
    EventOrder order(int port) {
        EventTime time = input(port).eventTime();
        return time == null ? null : new EventOrder(time.column(), time.orderBy());
    }

    /** @param keys null without any */
    Keys keys(ProjectionPlan keys) {
        return Keys.of(keys, plan.settings().buckets());
    }
}
