package io.despina.python;

import java.io.Closeable;
import java.util.concurrent.CompletableFuture;

/** A process with one function, as its operator sees it. One thread at a time uses it. */
public interface FunctionProcess extends Closeable {
    /** Timers, however many. */
    int ALL = Integer.MAX_VALUE;

    /** What it has said next, or null. */
    WorkerEvent poll();

    /** Sends a batch, once it has {@link WorkerEvent.Opened}. @param number greater than that of the batch before */
    void send(long number, byte[] message);

    /** Says of what is asked next, by that number, that it is asked of the first function alone: those behind are not called. */
    void sendAlone(long number);

    /**
     * Sends what is said of the next batch, before it, to a function that keeps state.
     *
     * @param number of that batch
     */
    void send(long number, BatchSlots slots);

    /**
     * Calls the timers of a function that has them, of all keys that it knows.
     *
     * @param number as of a batch, which has no rows
     * @param until  those are due, in microseconds since 1970; {@code Long.MAX_VALUE} at the end of the input
     * @param most   so many are called, the earliest; those that it calls again are counted again
     */
    void sendTimers(long number, long until, int most);

    /**
     * Says that the keys in the slots which were told last have ended.
     *
     * @param number as of a batch, which has no rows
     */
    void sendEnds(long number);

    /**
     * Wants the next batch of a source: the process makes none that nobody wants.
     *
     * @param number greater than that of the batch before
     */
    void pull(long number);

    /**
     * Asks it for something, behind the batches that were sent before.
     *
     * @param epoch   which one; 0 if it is about none
     * @param payload empty for most
     * @return completes when it is done, on any thread. It fails if the process could not, or has ended
     */
    CompletableFuture<Void> ask(Request what, long epoch, byte[] payload);

    /** Which of the functions in its row it calls, or has called last; 0 for the first. */
    default int place() {
        return 0;
    }

    /** Whether it has answered batches of another operator before. */
    default boolean hasWorked() {
        return false;
    }

    /** The memory that it has, in bytes; -1 if the system does not tell. */
    long memoryBytes();

    /**
     * Ends one that does not answer, after it has been asked to say where it is.
     *
     * @param why its end is reported with this, and with where it was
     */
    void kill(String why);
}
