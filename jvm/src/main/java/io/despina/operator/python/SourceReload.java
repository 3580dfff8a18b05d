package io.despina.operator.python;

import io.despina.operator.OperatorContext;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.Request;
import io.despina.spec.ControlCommand;
import io.despina.wake.Waker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The steps in which a source reads its function anew: a new process opens it, seeks the position behind what has left, and then
 * brings what follows. The old one waits meanwhile, so that a new one which cannot seek leaves all as it was.
 */
final class SourceReload {
    /** Of a class that says where it is, and seeks. */
    static final String POSITION = "position";

    private final FunctionSpec function;
    private final FunctionUpkeep options;
    private final Waker waker;
    private final FunctionReload steps;
    /** Seeks; null if none does. */
    private FunctionProcess seeking;
    /** Completes with the reason why it could not; with null if it could. */
    private CompletableFuture<String> sought;

    SourceReload(FunctionSpec function, FunctionUpkeep options, OperatorContext context, Waker waker) {
        this.function = function;
        this.options = options;
        this.waker = waker;
        steps = new FunctionReload(function, options, context);
    }

    /**
     * A step towards the function as it is on the disk now, as of {@link FunctionReload#reload}.
     *
     * @param methods of the class as it was opened before
     */
    CompletableFuture<String> reload(String step, List<String> methods) throws IOException {
        if (!step.equals(ControlCommand.DROP) && !methods.contains(POSITION)) {
            throw new IOException("`" + function.name() + "` has no `position()` and `seek(position)`, so nobody knows where a "
                    + "new process would go on: stop the job and start it again");
        }
        leave();
        return steps.reload(step, methods, 1, waker);
    }

    /** Whether a process seeks, and the old one brings nothing. */
    boolean isSeeking() {
        return seeking != null;
    }

    /** Hears those that open the function anew. */
    void hear(long now) throws IOException {
        steps.hear(now);
    }

    /** When the first of them has had its time to open the function. */
    long due() {
        return steps.due();
    }

    /**
     * All that the old process has said until now has left.
     *
     * @param reached the position behind it, as JSON; null if nothing has left since the beginning
     * @return the process that takes the place of the old one; null if none does now
     */
    FunctionProcess next(String reached) throws IOException {
        if (seeking == null) {
            if (!steps.isTaking()) {
                return null;
            }
            seeking = steps.take().get(0).process();
            sought = reached == null ? CompletableFuture.completedFuture(null)
                    : Requests.within(seeking.ask(Request.SEEK, 0, reached.getBytes(StandardCharsets.UTF_8)), function, "seek",
                            options.timeoutMillis()).handle(SourceReload::why);
            sought.thenRun(waker::wake);
        }
        return sought.isDone() ? done(sought.join()) : null;
    }

    private static String why(Void done, Throwable failure) {
        return failure == null ? null
                : String.valueOf((failure instanceof CompletionException ? failure.getCause() : failure).getMessage());
    }

    private FunctionProcess done(String failure) throws IOException {
        if (failure != null) {
            leave();
            steps.drop(failure);
            return null;
        }
        FunctionProcess found = seeking;
        seeking = null;
        steps.taken(1);
        return found;
    }

    private void leave() throws IOException {
        FunctionProcess left = seeking;
        seeking = null;
        if (left != null) {
            left.close();
        }
    }

    /** The source has ended, or is closed. */
    void end() throws IOException {
        leave();
        steps.end();
    }
}
