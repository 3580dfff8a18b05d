package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.outbox.LeavingSink;
import io.despina.operator.outbox.Outbox;
import io.despina.plan.PlanningContext;
import io.despina.plan.Promise;
import io.despina.spec.SinkGuarantee;

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

    /** Of a target that keeps a mark of each epoch. @param done what becomes of rows: {@code written} */
    Promise<SinkGuarantee> marked(String done) {
        return byEpoch ? Promise.of(SinkGuarantee.MARKED) : again(done);
    }

    /** Rows leave at once, those since the last epoch maybe twice. @param done what becomes of rows: {@code written} */
    static Promise<SinkGuarantee> again(String done) {
        return new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "rows since the last epoch are " + done + " again",
                "leave `delivery` out");
    }

    Operator of(LeavingSink sink, InstanceContext making) {
        return byEpoch ? new Outbox(sink, making.around().senders(), logBytes) : sink;
    }
}
