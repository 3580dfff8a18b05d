package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.sink.DiscardSink;

/** A sink beside the one whose rows a program reads: nobody asked for what the graph says of it. */
public record UnreadSinkSpec() implements ExecutableSpec {

    @Override
    public Operator make(InstanceContext making) {
        return new DiscardSink();
    }
}
