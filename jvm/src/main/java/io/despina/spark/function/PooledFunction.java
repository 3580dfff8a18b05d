package io.despina.spark.function;

import io.despina.operator.python.FunctionStarting;
import io.despina.python.BatchSlots;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.Request;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A process that one operator after the other uses, each of which takes it for its own: it hears that the function is open, and
 * closes it when it is done. One thread at a time uses it.
 */
final class PooledFunction implements FunctionProcess {
    private static final Waker NOBODY = () -> { };

    private final String name;
    private final FunctionProcess process;
    /** Written by whoever uses it, read by the process's own thread. */
    private volatile Waker waker = NOBODY;
    private Lender home;
    /** What it has said when it had opened the function; null before. */
    private WorkerEvent.Opened opened;
    /** Whether the one that uses it has not been told that. */
    private boolean untold;
    /** So many have had it. */
    private int turns;
    /** Batches that it has not answered. */
    private int batches;
    private boolean worked;
    private boolean dead;

    /** Who has it. */
    interface Lender {
        /** Whoever used it is done with it. */
        void back(PooledFunction one) throws IOException;
    }

    PooledFunction(FunctionStarting starting, FunctionSpec function, Consumer<String> log) throws IOException {
        name = function.name();
        process = starting.start(function, log, this::woken);
    }

    private void woken() {
        waker.wake();
    }

    /** The next one uses it. */
    PooledFunction lend(Waker to, Lender from) {
        home = from;
        turns++;
        untold = opened != null;
        waker = to;
        to.wake();
        return this;
    }

    int turns() {
        return turns;
    }

    /** Whether it is open, has nothing to do, and has not been told to end: the next one finds it as this one did. */
    boolean isSound() {
        return opened != null && !dead && batches == 0;
    }

    @Override
    public WorkerEvent poll() {
        if (untold) {
            untold = false;
            return opened;
        }
        WorkerEvent said = process.poll();
        if (said instanceof WorkerEvent.Opened now) {
            if (now.methods().contains("end")) {
                dead = true;
                return new WorkerEvent.Refused("`" + name + "` has `end`, and a stream on Spark has none: run it there as a "
                        + "batch, or on the engine");
            }
            opened = now;
        } else if (said instanceof WorkerEvent.Rows rows && rows.isLast()) {
            batches--;
            worked = true;
        } else if (said instanceof WorkerEvent.Gone || said instanceof WorkerEvent.Refused) {
            dead = true;
        }
        return said;
    }

    @Override
    public boolean hasWorked() {
        return worked;
    }

    @Override
    public void send(long number, byte[] message) {
        batches++;
        process.send(number, message);
    }

    @Override
    public void sendAlone(long number) {
        process.sendAlone(number);
    }

    @Override
    public void send(long number, BatchSlots slots) {
        process.send(number, slots);
    }

    @Override
    public void sendTimers(long number, long until, int most) {
        batches++;
        process.sendTimers(number, until, most);
    }

    @Override
    public void sendEnds(long number) {
        batches++;
        process.sendEnds(number);
    }

    @Override
    public void pull(long number) {
        batches++;
        process.pull(number);
    }

    @Override
    public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
        return process.ask(what, epoch, payload);
    }

    @Override
    public long memoryBytes() {
        return process.memoryBytes();
    }

    @Override
    public void kill(String why) {
        dead = true;
        process.kill(why);
    }

    @Override
    public void close() throws IOException {
        waker = NOBODY;
        home.back(this);
    }

    /** Nobody has it: it keeps nothing of the one that had it last, which may not have closed it. */
    void leave() {
        waker = NOBODY;
        home = null;
    }

    /** Nobody uses it any more. */
    void end() throws IOException {
        dead = true;
        waker = NOBODY;
        process.close();
    }
}
