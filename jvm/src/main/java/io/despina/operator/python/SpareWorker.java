package io.despina.operator.python;

import io.despina.operator.OperatorContext;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A process that has opened the function, or is about to, and has nothing to do until it takes the place of one that dies. */
final class SpareWorker {
    private final FunctionUpkeep options;
    private final OperatorContext context;
    /** Null for none. */
    private FunctionWorker spare;
    /** The one that is being started; null if none is. */
    private CompletableFuture<FunctionProcess> starting;

    SpareWorker(FunctionUpkeep options, OperatorContext context) {
        this.options = options;
        this.context = context;
    }

    /** Starts one if it is wanted and none is there. */
    void start(FunctionSpec function, Waker waker) {
        if (options.spare() && spare == null && starting == null) {
            starting = options.starting().startBeside(function, context::tell, waker);
            starting.whenComplete((process, failure) -> waker.wake());
        }
    }

    /** Hears it: it has nothing to say but that it is open, or why it is not. @param names of its functions */
    void hear(String names) throws IOException {
        if (starting != null && starting.isDone()) {
            CompletableFuture<FunctionProcess> done = starting;
            starting = null;
            try {
                spare = new FunctionWorker(done.join(), context.clock().getAsLong());
            } catch (CompletionException failed) {
                tell(names, String.valueOf(failed.getCause().getMessage()));
            }
        }
        WorkerEvent said = spare == null ? null : spare.listen();
        if (said instanceof WorkerEvent.Gone || said instanceof WorkerEvent.Refused) {
            spare.process().close();
            spare = null;       // the next is started when one has taken another's place: no loop starts those that cannot live
            tell(names, said instanceof WorkerEvent.Gone gone ? gone.why() : ((WorkerEvent.Refused) said).why());
        }
    }

    private void tell(String names, String why) {
        context.warn("the spare worker of " + names + " is no more: " + why);
    }

    /** The spare, which is somebody else's from now on; null if there is none. */
    FunctionWorker take() {
        FunctionWorker taken = spare;
        spare = null;
        return taken;
    }

    /** Whichever there is leaves. */
    void leave() throws IOException {
        if (starting != null) {
            starting.thenAccept(FunctionWorker::close);
            starting = null;
        }
        FunctionWorker left = take();
        if (left != null) {
            left.process().close();
        }
    }
}
