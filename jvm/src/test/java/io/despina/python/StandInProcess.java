package io.despina.python;

import io.despina.wake.Waker;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** In place of a Python process: says what a test has it say, and takes only what a subclass takes. */
public abstract class StandInProcess implements FunctionProcess {
    private final Queue<WorkerEvent> said = new ArrayDeque<>();
    private final Waker waker;
    /** What it uses. */
    public long memory = -1;

    protected StandInProcess(Waker waker) {
        this.waker = waker;
    }

    public final void say(WorkerEvent event) {
        said.add(event);
        waker.wake();
    }

    @Override
    public final WorkerEvent poll() {
        return said.poll();
    }

    @Override
    public void send(long number, byte[] message) {
        throw new UnsupportedOperationException("it takes no packets");
    }

    @Override
    public void sendAlone(long number) {
        throw new UnsupportedOperationException("it has no functions behind");
    }

    @Override
    public void send(long number, BatchSlots slots) {
        throw new UnsupportedOperationException("it keeps no state");
    }

    @Override
    public void sendTimers(long number, long until, int most) {
        throw new UnsupportedOperationException("it has no timers");
    }

    @Override
    public void sendEnds(long number) {
        throw new UnsupportedOperationException("its keys have no end");
    }

    @Override
    public void pull(long number) {
        throw new UnsupportedOperationException("it is no source");
    }

    @Override
    public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
        throw new UnsupportedOperationException("it is no sink");
    }

    @Override
    public long memoryBytes() {
        return memory;
    }

    @Override
    public void kill(String why) {
        say(new WorkerEvent.Gone(why));
    }

    @Override
    public void close() throws IOException {
        said.clear();
    }
}
