package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.sink.DiscardSink;
import io.despina.plan.Promise;
import io.despina.plan.UserPromises;
import io.despina.spec.SinkGuarantee;

/** A sink beside the one whose rows a program reads: nobody asked for what the graph says of it. */
public record UnreadSinkSpec() implements ExecutableSpec {

    @Override
    public Promise<SinkGuarantee> leaves(UserPromises user) {
        return Promise.of(SinkGuarantee.IDEMPOTENT);
    }

    @Override
    public Operator make(InstanceContext making) {
        return new DiscardSink();
    }
}
