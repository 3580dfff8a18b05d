package io.despina.control.process;

import java.util.concurrent.CompletableFuture;

/** A resource that the coordinator has started: its process, or its task in an executor. */
public interface Child {

    /** 0 if it is not known before it has joined. */
    long pid();

    /** Completes with how it ended, of a process exit code and last words. */
    CompletableFuture<String> onExit();

    /** It is the resource of that name from now on. */
    default void plays(String resource) {
    }

    /** It was told to end, and soon needs its room no more. */
    default void leave() {
    }

    void kill();

    /** Gives it {@code millis} to end by itself, then kills it; returns when it has ended. */
    void end(long millis);
}
