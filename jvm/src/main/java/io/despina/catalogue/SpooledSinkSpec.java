package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.program.SpoolSink;
import io.despina.plan.Promise;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;

/** A sink whose rows a program reads from disk, in place of what the graph says. */
public record SpooledSinkSpec() implements ExecutableSpec {

    /** It waits while the program does not read. */
    @Override
    public Blocking blocking() {
        return Blocking.ALWAYS;
    }

    @Override
    public Promise<SinkGuarantee> leaves(UserPromises user) {
        return new Promise<>(SinkGuarantee.TRANSACTIONAL, "a reader that keeps its place sees each row once", null);
    }

    @Override
    public boolean waitsInLog() {
        return true;
    }

    @Override
    public Operator make(InstanceContext making) {
        PythonConnections python = making.around().python();
        String sink = making.operator().id();
        return new SpoolSink(instance -> python.spool(sink, instance), python.keepsSpools());
    }
}
