package io.despina.operator.python;

import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.socket.SocketThread;
import io.despina.wake.Waker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Starts processes. */
public interface FunctionStarting {
    /** @param log takes what it prints, on any thread */
    FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) throws IOException;

    /** How processes are kept here, where the graph wants it so. */
    default FunctionUpkeep upkeep(FunctionUpkeep wanted) {
        return wanted;
    }

    /** The pace of batches: where one process serves an operator after the other, that of the one before. */
    default BatchPace pace(BatchPace fresh) {
        return fresh;
    }

    /** The same on another thread: a busy system takes a while for it, and nobody waits for a spare. */
    default CompletableFuture<FunctionProcess> startBeside(FunctionSpec function, Consumer<String> log, Waker waker) {
        CompletableFuture<FunctionProcess> started = new CompletableFuture<>();
        return started.completeAsync(() -> {
            try {
                return start(function, log, waker);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }, SocketThread.lentTo(started.defaultExecutor()));
    }
}
