package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.spec.ControlCommand;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The steps in which an operator instance reads its function anew, as its user tells them: others open it beside those that
 * answer, and take over when these have nothing in flight and their {@link Takeover} is done. If that fails, the old ones go on.
 */
final class FunctionReload {
    /** What a reload says of an instance that needs no process any more. */
    static final String ENDED = "its input has ended";
    private final FunctionSpec function;
    private final FunctionUpkeep options;
    private final OperatorContext context;
    private final Takeover takeover;
    private Waker waker;
    /** Open the function anew, beside those that answer; null for none. */
    private FreshWorkers fresh;
    /** Completes when they have taken over; null while they need not. */
    private CompletableFuture<String> taking;
    /** What is done before that; null while nothing is. */
    private CompletableFuture<Void> handing;
    /** For whom: one that has died since has not been asked. */
    private FunctionProcess first;
    /** The functions of the row, by their places, that were told to open anew, and have been told nothing since. */
    private final Set<Integer> opening = new HashSet<>();

    FunctionReload(FunctionSpec function, FunctionUpkeep options, OperatorContext context, Takeover takeover) {
        this.function = function;
        this.options = options;
        this.context = context;
        this.takeover = takeover;
    }

    /**
     * A step towards the function as it is on the disk now. Where several functions of a row are told so, their steps are one:
     * the same processes open all of them.
     *
     * @param step    {@code open}, {@code take} or {@code drop}
     * @param place   of the function that is told, in its row
     * @param methods of the class as it was opened before
     * @param count   how many processes
     * @return completes when it is done. The old ones answer the batches that are in flight before others take over
     * @throws IOException nothing is there that could take over
     */
    CompletableFuture<String> reload(String step, int place, List<String> methods, int count, Waker woken) throws IOException {
        waker = woken;
        boolean isOpening = opening.remove(place);
        if (step.equals(ControlCommand.TAKE)) {
            return take(isOpening, count);
        }
        boolean isOfOthers = !opening.isEmpty() || taking != null;
        if (step.equals(ControlCommand.DROP)) {
            if (!isOpening || !isOfOthers) {
                drop("it was told to leave");
            }
            return CompletableFuture.completedFuture("");
        }
        if (isOpening || !isOfOthers || fresh == null || taking != null) {
            drop("it was told to leave");
            fresh = new FreshWorkers(function, options, methods, context);
            fresh.start(count, waker);
        }
        opening.add(place);
        return fresh.opened();
    }

    /** @param isOpening whether the one that is told was told to open, and nothing since */
    private CompletableFuture<String> take(boolean isOpening, int count) throws IOException {
        if (taking != null) {
            return taking;
        }
        if (isOpening && fresh == null) {       // another of the row was told so before
            return CompletableFuture.completedFuture(words(count));
        }
        if (fresh == null || !fresh.opened().isDone() || fresh.failure() != null) {
            throw new IOException("no process of `" + function.name() + "` is there that could take over");
        }
        taking = new CompletableFuture<>();
        waker.wake();
        return taking;
    }

    /** Those that are being opened leave. */
    private void drop(String why) throws IOException {
        handing = null;
        opening.clear();
        if (taking != null) {
            taking.completeExceptionally(new IOException(why));
            taking = null;
        }
        if (fresh != null) {
            FreshWorkers left = fresh;
            fresh = null;
            left.fail(why);
        }
    }

    /** The input of this instance has ended: it needs no others, and keeps the other instances from nothing. */
    void end() throws IOException {
        if (taking != null) {
            taking.complete(ENDED);
        }
        if (fresh != null) {
            fresh.end(ENDED);
        }
        drop(ENDED);
    }

    /** Hears what they say. */
    void hear(long now) throws IOException {
        if (fresh != null) {
            fresh.hear(now);
            if (fresh.failure() != null) {
                drop(fresh.failure());
            }
        }
    }

    /**
     * Whether they are to take over as soon as nothing is in flight: the old ones get no more. Rows go on while one that has died
     * is replaced.
     */
    boolean isTaking() {
        return handing != null || isWanted() && takeover.isDue();
    }

    /** Whether they are open, and told to take over. */
    boolean isWanted() {
        return taking != null && fresh.areOpen();
    }

    /** Nothing is in flight. @return those that are the operator's from now on; none as long as they cannot take over */
    List<FunctionWorker> next() throws IOException {
        if (handing != null && (!fresh.areOpen() || fresh.first() != first)) {
            handing = null;
        }
        if (!isTaking() || !takeover.isQuiet()) {
            return List.of();
        }
        if (handing == null) {
            first = fresh.first();
            handing = takeover.begin(first);
            handing.whenComplete((done, failed) -> waker.wake());
        }
        if (handing.isCompletedExceptionally()) {
            drop(why(handing));
        }
        if (handing == null || !handing.isDone()) {
            return List.of();
        }
        handing = null;
        List<FunctionWorker> all = fresh.take();
        fresh = null;
        return all;
    }

    private static String why(CompletableFuture<Void> handed) {
        return handed.handle((done, failure) -> failure instanceof CompletionException ? failure.getCause() : failure).join()
                .getMessage();
    }

    /** They have their places. @param count how many they are */
    void taken(int count) {
        CompletableFuture<String> done = taking;
        taking = null;
        done.complete(words(count));
    }

    private static String words(int count) {
        return count == 1 ? "a new process has taken over" : count + " new processes have taken over";
    }

    /** When the first of them has had its time to open the function. */
    long due() {
        return fresh == null ? NEVER : fresh.due();
    }
}
