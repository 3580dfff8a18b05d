package io.despina.control.process;

import java.util.concurrent.CompletableFuture;

/** A resource's process that the coordinator has started. */
public interface Child {

    long pid();

    /** Completes with how it ended: exit code and its last words. */
    CompletableFuture<String> onExit();

    void kill();

    /** Lets it end by itself for {@code millis}, then ends it; returns when it has ended. */
    void end(long millis);
}
