package io.despina.operator.python;

import io.despina.python.FunctionSpec;
import io.despina.wake.SharedThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a process is asked to do, and has a limited time for. */
final class Requests {
    private Requests() {
    }

    /**
     * The same, which fails if it takes too long.
     *
     * @param method of the user's class
     */
    static CompletableFuture<Void> within(CompletableFuture<Void> asked, FunctionSpec function, String method, long millis) {
        return asked.orTimeout(millis, TimeUnit.MILLISECONDS).exceptionally(failure -> {
            if (failure instanceof TimeoutException) {
                throw new IllegalStateException("the worker of `" + function.name() + "` did not answer `" + method
                        + "` within timeout_ms=" + millis);
            }
            throw (RuntimeException) failure;
        });
    }

    /** Waits for it, while an operator is opened. */
    static void await(CompletableFuture<Void> asked) {
        SharedThreads.waits("waits for the process of a function");
        try {
            asked.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException why ? why : failed;
        }
    }
}
