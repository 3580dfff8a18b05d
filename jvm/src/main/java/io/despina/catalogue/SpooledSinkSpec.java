package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.sink.SpoolSink;
import io.despina.spec.Blocking;

/** A sink whose rows a program reads from disk, in place of what the graph says. */
public record SpooledSinkSpec() implements ExecutableSpec {

    /** It waits while the program does not read. */
    @Override
    public Blocking blocking() {
        return Blocking.ALWAYS;
    }

    @Override
    public Operator make(InstanceContext making) {
        PythonConnections python = making.around().python();
        String sink = making.operator().id();
        return new SpoolSink(instance -> python.spool(sink, instance));
    }
}
