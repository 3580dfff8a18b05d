package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.outbox.LeavingSink;
import io.despina.operator.outbox.Outbox;
import io.despina.plan.PlanningContext;

/**
 * When rows leave a sink without two phases.
 *
 * @param byEpoch  when their epoch is complete, if the job keeps its state; else at once
 * @param logBytes of rows that wait for the peer
 */
record Leaving(boolean byEpoch, long logBytes) {

    static Leaving of(PlanningContext context) {
        return new Leaving(context.fields().string("delivery", "").equals("by_epoch"), context.fields().whole("spool_bytes", 0));
    }

    Operator of(LeavingSink sink, InstanceContext making) {
        return byEpoch ? new Outbox(sink, making.around().senders(), logBytes) : sink;
    }
}
