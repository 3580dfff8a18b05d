package io.despina.operator.connect;

import io.despina.connect.SourceHost;
import io.despina.inflow.Inflow;
import io.despina.operator.OperatorContext;

/** What every reader sees of its source. */
abstract class InflowHost implements SourceHost {
    private final OperatorContext context;
    private final Inflow<?> inflow;

    InflowHost(OperatorContext context, Inflow<?> inflow) {
        this.context = context;
        this.inflow = inflow;
    }

    /** Any thread. The source is woken behind it, and throws that. */
    protected abstract void fail(Exception why);

    @Override
    public final String operator() {
        return context.operatorId();
    }

    @Override
    public final int instance() {
        return context.instance();
    }

    @Override
    public final int parallelism() {
        return context.parallelism();
    }

    @Override
    public final boolean hasRoom() {
        return inflow.hasRoom();
    }

    @Override
    public final void whenRoom(Runnable resume) {
        inflow.whenRoom(resume);
    }

    @Override
    public final void failed(Exception why) {
        fail(why);
        context.wake();
    }

    @Override
    public final void warn(String what) {
        context.warn(what);
    }
}
