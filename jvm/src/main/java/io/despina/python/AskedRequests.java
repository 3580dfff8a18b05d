package io.despina.python;

import io.despina.arrow.ArrowException;
import io.despina.json.Json;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What a process has been asked and has not answered, in order. Any thread uses it. */
final class AskedRequests {
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();
    /** Why nothing more is answered; null while something is. Written by the thread that learns of the end. */
    private volatile String ended;

    CompletableFuture<Void> add() {
        CompletableFuture<Void> one = new CompletableFuture<>();
        waiting.add(one);
        if (ended != null) {
            end(ended);
        }
        return one;
    }

    /** The first is answered. @param said {@code {"why": text}} if it could not be done */
    void settled(byte[] said) throws IOException {
        CompletableFuture<Void> first = waiting.poll();
        if (first == null) {
            throw new ArrowException("an answer to nothing");
        }
        String why = Json.tree(said).path("why").textValue();
        if (why == null) {
            first.complete(null);
        } else {
            first.completeExceptionally(new IllegalStateException(why));
        }
    }

    void end(String why) {
        ended = why;
        for (CompletableFuture<Void> one = waiting.poll(); one != null; one = waiting.poll()) {
            one.completeExceptionally(new IllegalStateException(why));
        }
    }
}
