package io.despina.operator.python;

import io.despina.python.FunctionProcess;
import io.despina.python.WorkerEvent;
import java.io.IOException;
import java.io.UncheckedIOException;

/** One process of an operator, and how far it is. */
final class FunctionWorker {
    /** Batches that one has at a time: the second is there when the first is done. */
    private static final int MOST = 2;

    private final FunctionProcess process;
    /** Nanoseconds of the job's clock. */
    private long startedAt;
    /** How many were started before it, or took another's place. */
    private int number;
    /** So many that had its place before it, one after the other, have not opened the function. */
    private int stillborn;
    /** Whether the operator knows that it has opened the function. */
    private boolean open;
    private boolean killed;
    /** What a spare has said before it was needed. */
    private WorkerEvent.Opened unsaid;
    /** Batches that it has, and whose answers are wanted. */
    private int live;
    /** The same of those that have gone again to another. */
    private int stale;
    /** Whether it has answered a batch, perhaps of another operator. */
    private boolean used;
    /** Whether it gets no more batches, since it uses too much memory. */
    private boolean leaving;
    /** Since when it has been at what nobody wants, or done with that; nanoseconds of the job's clock. */
    private long staleSince = Long.MIN_VALUE;

    /** So many answers of functions behind have begun. */
    private int ahead;
    private boolean ended;

    FunctionWorker(FunctionProcess process, long startedAt) {
        this.process = process;
        this.startedAt = startedAt;
        used = process.hasWorked();
    }

    int number() {
        return number;
    }

    /** So many of its place have died in a row, with itself if it dies now, before they had opened the function. */
    int unopened() {
        return open ? 0 : stillborn + 1;
    }

    FunctionProcess process() {
        return process;
    }

    long startedAt() {
        return startedAt;
    }

    boolean isOpen() {
        return open;
    }

    boolean isKilled() {
        return killed;
    }

    boolean isUsed() {
        return used;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** Whether an answer of it is wanted. */
    boolean isAwaited() {
        return live > 0;
    }

    /** Whether it has no batch. */
    boolean isIdle() {
        return live + stale == 0;
    }

    /** Whether it is at a batch whose answer nobody wants. */
    boolean isStale() {
        return stale > 0;
    }

    long staleSince() {
        return staleSince;
    }

    int batches() {
        return live + stale;
    }

    /** Whether it takes one more batch. */
    boolean hasRoom() {
        return open && !leaving && live + stale < MOST;
    }

    void opened() {
        open = true;
    }

    void leave() {
        leaving = true;
    }

    /** It gets a batch. */
    void give() {
        live++;
    }

    /** A batch of it is answered, and the answer has left. */
    void answered() {
        live--;
        used = true;
    }

    /** Nobody wants the answers to what it has. */
    void forget(long now) {
        if (stale == 0 && live > 0) {
            staleSince = now;
        }
        stale += live;
        live = 0;
    }

    /** A batch is answered that nobody wants. */
    void answeredStale(long now) {
        stale--;
        staleSince = now;
        used = true;
    }

    void kill(String why) {
        killed = true;
        process.kill(why);
    }

    /** As a spare: what it says is looked at, and kept for the one that it is told to. @return null, or its end */
    WorkerEvent listen() {
        WorkerEvent said = process.poll();
        if (said instanceof WorkerEvent.Opened open) {
            unsaid = open;
            return null;
        }
        return said;
    }

    /** As a spare: that it has opened the function, which the operator has not been told; null before. */
    WorkerEvent.Opened unheard() {
        return unsaid;
    }

    /**
     * It takes a place.
     *
     * @param as   its number
     * @param dead so many in a row have died there that had not opened the function
     */
    void takePlace(long now, int as, int dead) {
        startedAt = now;
        number = as;
        stillborn = dead;
    }

    WorkerEvent poll() {
        WorkerEvent said = unsaid == null ? process.poll() : unsaid;
        unsaid = null;
        if (said instanceof WorkerEvent.Ahead) {
            ahead++;
        } else if (said instanceof WorkerEvent.Rows rows && rows.isLast()) {
            ended = ahead == 0;
            ahead = Math.max(0, ahead - 1);
        }
        return said;
    }

    /** Whether the last rows that {@link #poll} gave end a batch: they are not of a function behind. */
    boolean hasEnded() {
        return ended;
    }

    /** When nobody waits for it any more. */
    static void close(FunctionProcess process) {
        try {
            process.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
