package io.despina.catalogue;

import io.despina.expr.ProjectionPlan;
import io.despina.operator.disk.FolderNotices;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.python.Crossings;
import io.despina.plan.KeyClocks;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import io.despina.spec.EventTime;
import io.despina.state.EventOrder;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

/**
 * What making an instance of an operator needs besides the spec.
 *
 * @param operator one of the plan
 * @param around   the services of the process
 */
public record InstanceContext(Plan plan, PlannedOperator operator, Around around) {

    /**
     * The services of a process for operators.
     *
     * @param python  null if no operator is connected to Python
     * @param notices of followed files
     * @param disk    makes rolled files durable
     * @param senders lets rows leave, or reads them, and may block; as many threads as there are such operators
     * @param user    runs the user's code
     * @param crossings between operators here that share a process
     */
    public record Around(PythonConnections python, FolderNotices notices, Executor disk, Executor senders, UserCode user,
            Crossings crossings) {
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

    /** @param clocks null if all packets have one clock */
    Keys keys(ProjectionPlan keys, KeyClocks clocks) {
        return clocks == null ? keys(keys)
                : keys(keys).with(new Clocks(keys(clocks.keys()), clocks.columns(), clocks.time().maxDelayMicros(),
                        clocks.time().idleAfterMicros()));
    }

    /** Keys whose groups are all that goes by one clock. */
    Keys keys(KeyClocks clocks) {
        Keys keys = keys(clocks.keys());
        List<Integer> all = IntStream.range(0, keys.schema().size()).boxed().toList();
        return keys.with(new Clocks(keys, all, clocks.time().maxDelayMicros(), clocks.time().idleAfterMicros()));
    }
}
