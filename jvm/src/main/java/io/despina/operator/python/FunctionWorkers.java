package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OpeningException;
import io.despina.operator.OperatorContext;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.InstancePlace;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/**
 * The processes of one operator instance: starts them, hears them, has others take their places, and watches their memory. A
 * batch goes to the one that has the fewest, and each answers its own in order. So the answers to all are in order if the one is
 * heard that has the oldest batch; the others wait.
 */
final class FunctionWorkers {
    /** So often their memory is looked at while they have something to do. */
    private static final long LOOK_NANOS = 200_000_000;
    /** One that uses more than this part of {@code memory_bytes} is killed, whatever it does. */
    private static final double HARD = 1.25;
    private static final long MIB = 1 << 20;

    private final FunctionSpec function;
    private final FunctionUpkeep options;
    private final OperatorContext context;
    private Waker waker;
    private final FunctionWorker[] workers;
    /** Has opened the function, or is about to, and has nothing to do; null for none. */
    private FunctionWorker spare;
    /** The spare that is being started; null if none is. */
    private CompletableFuture<FunctionProcess> starting;
    /** Of processes that open the function anew. No batch is sent while they are to take over. */
    private FunctionReload fresh;
    /** Who has said what {@link #poll} gave last. */
    private FunctionWorker speaker;
    private List<String> methods = List.of();
    /** Nobody wants answers to batches up to this number. */
    private long stale;
    private long nextLook;
    private final boolean isWatched;
    /** The number of the one that took its place last. */
    private int last;
    /** The same when one died last: those up to it may be dying of what that one died of. */
    private int old;
    /** Whether batches wait for one that is new. */
    private boolean careful;
    /** Whether all have opened the function once. */
    private boolean wereOpen;

    /** @param count how many of them */
    FunctionWorkers(FunctionSpec of, FunctionUpkeep upkeep, int count, OperatorContext context) {
        options = upkeep;
        function = of.at(new InstancePlace(context.operatorId(), context.instance(), context.parallelism()));
        this.context = context;
        workers = new FunctionWorker[count];
        isWatched = options.memoryBytes() != FunctionUpkeep.ANY;
    }

    /** @param woken when one has said something, on any thread */
    void start(Takeover takeover, Waker woken) throws IOException {
        fresh = new FunctionReload(function, options, context, takeover);
        waker = woken;
        if (isWatched && !Files.exists(Path.of("/proc/self/status"))) {
            context.warn("`memory_bytes` of `" + function.name() + "` is not watched: this system has no /proc");
        }
        for (int k = 0; k < workers.length; k++) {
            workers[k] = started();
            workers[k].takePlace(context.clock().getAsLong(), ++last, 0);
        }
    }

    private FunctionWorker started() throws IOException {
        try {
            return new FunctionWorker(options.starting().start(function, context::tell, waker), context.clock().getAsLong());
        } catch (OpeningException failed) {
            throw unopened(failed.getMessage(), failed);
        }
    }

    /** How the operator fails if one cannot open the function. What could be opened once may be again in another attempt. */
    RuntimeException unopened(String why, Throwable cause) {
        return wereOpen ? new IllegalStateException(why, cause) : new OpeningException(why, cause);
    }

    boolean areOpen() {
        for (FunctionWorker each : workers) {
            if (!each.isOpen()) {
                return false;
            }
        }
        return true;
    }

    /** The process of the only one. */
    FunctionProcess process() {
        return workers[0] == null ? null : workers[0].process();
    }

    /** Those of the user's class that it may be asked for. */
    List<String> methods() {
        return methods;
    }

    /** What is said next that concerns the batch which is answered first, or no batch at all; null for nothing. */
    WorkerEvent poll(SentBatch first) {
        for (FunctionWorker each : workers) {
            boolean isHeard = !each.isAwaited() || first != null && first.by() == each;
            for (WorkerEvent said = isHeard ? each.poll() : null; said != null; said = each.poll()) {
                if (said.batch() == 0 || said.batch() > stale) {
                    speaker = each;
                    return said;
                }
                if (said instanceof WorkerEvent.Rows rows && rows.isLast()) {
                    each.answeredStale(context.clock().getAsLong());
                }
            }
        }
        return null;
    }

    FunctionWorker speaker() {
        return speaker;
    }

    /** The one that spoke has opened the function. */
    void opened(WorkerEvent.Opened said) throws IOException {
        speaker.opened();
        wereOpen |= areOpen();
        methods = said.methods();
        lookAt(speaker);
        if (options.spare() && spare == null && starting == null && areOpen()) {
            starting = options.starting().startBeside(function, context::tell, waker);
            starting.whenComplete((process, failure) -> waker.wake());
        }
    }

    /** Hears the spare, which has nothing to say but that it is open, or why it is not. */
    void hearSpare() throws IOException {
        if (starting != null && starting.isDone()) {
            CompletableFuture<FunctionProcess> done = starting;
            starting = null;
            try {
                spare = new FunctionWorker(done.join(), context.clock().getAsLong());
            } catch (CompletionException failed) {
                tellOfSpare(String.valueOf(failed.getCause().getMessage()));
            }
        }
        WorkerEvent said = spare == null ? null : spare.listen();
        if (said instanceof WorkerEvent.Gone || said instanceof WorkerEvent.Refused) {
            spare.process().close();
            spare = null;       // the next is started when one has taken another's place: no loop starts those that cannot live
            tellOfSpare(said instanceof WorkerEvent.Gone gone ? gone.why() : ((WorkerEvent.Refused) said).why());
        }
    }

    /** A step towards the function as it is on the disk now. @param step as of {@link FunctionReload#reload} */
    CompletableFuture<String> reload(String step) throws IOException {
        return fresh.reload(step, methods, workers.length, waker);
    }

    /** The input has ended. */
    void endReload() throws IOException {
        fresh.end();
    }

    /** Hears those that open the function anew. */
    void hearFresh() throws IOException {
        fresh.hear(context.clock().getAsLong());
    }

    private void takeOver(List<FunctionWorker> next) throws IOException {
        for (int k = 0; k < workers.length; k++) {
            FunctionWorker old = workers[k];
            workers[k] = next.get(k);
            workers[k].takePlace(context.clock().getAsLong(), ++last, 0);
            old.process().close();
        }
        if (starting != null) {
            starting.thenAccept(FunctionWorker::close);
            starting = null;
        }
        if (spare != null) {
            FunctionWorker old = spare;
            spare = null;       // another is started when these have been heard
            old.process().close();
        }
        waker.wake();
        fresh.taken(workers.length);
    }

    private void tellOfSpare(String why) {
        context.warn("the spare worker of `" + function.name() + "` is no more: " + why);
    }

    /** The one to which the next batch goes; null if none takes one. */
    FunctionWorker free() {
        FunctionWorker found = null;
        if (fresh.isTaking()) {
            return null;
        }
        for (FunctionWorker each : workers) {
            if (each.hasRoom() && (!careful || isNew(each)) && (found == null || each.batches() < found.batches())) {
                found = each;
            }
        }
        return found;
    }

    /** Whether none has died since it took its place: what it dies of is its own. */
    private boolean isNew(FunctionWorker one) {
        return one.number() > old;
    }

    /**
     * One has died.
     *
     * @return whether that was the doing of the batch which it was at. If others have died beside it, batches wait for one that
     *         is new, until an answer has come
     */
    boolean isOfItsBatch(FunctionWorker dead) {
        boolean own = isNew(dead) || dead.isKilled() && !dead.isStale();
        careful |= dead.isAwaited() && !own;
        old = last;
        return dead.isAwaited() && own;
    }

    /** An answer has come, and has left. */
    void answered() {
        careful = false;
    }

    /** Nobody wants the answers to batches that have been sent. @param number of the last */
    void forget(long number) {
        stale = number;
        for (FunctionWorker each : workers) {
            each.forget(context.clock().getAsLong());
        }
    }

    /** Has another take the place of one, the spare if there is one. */
    void replace(FunctionWorker gone) throws IOException {
        gone.process().close();
        FunctionWorker next = spare == null ? started() : spare;
        spare = null;
        next.takePlace(context.clock().getAsLong(), ++last, gone.unopened());
        for (int k = 0; k < workers.length; k++) {
            workers[k] = workers[k] == gone ? next : workers[k];
        }
        waker.wake();       // a spare may have said long ago that it is open
    }

    /** Has others take the places of those that use too much memory and have nothing to do, or of all. */
    void refresh(boolean nothingFlies) throws IOException {
        List<FunctionWorker> next = nothingFlies ? fresh.next() : List.of();
        if (!next.isEmpty()) {
            takeOver(next);
        }
        for (FunctionWorker each : workers) {
            if (each.isLeaving() && each.isIdle() && (nothingFlies || workers.length > 1)) {
                context.count("memory_restarts", 1);
                replace(each);
            }
        }
    }

    /** Looks at their memory, if it is time to. A file of /proc is read, which waits for nothing. */
    void look(long now) {
        if (isWatched && now >= nextLook) {
            nextLook = now + LOOK_NANOS;
            for (FunctionWorker each : workers) {
                lookAt(each);
            }
        }
    }

    private void lookAt(FunctionWorker one) {
        if (!isWatched || !one.isOpen() || one.isKilled()) {
            return;
        }
        long bytes = one.process().memoryBytes();
        long most = options.memoryBytes();
        String said = "uses " + bytes / MIB + " MiB, more than memory_bytes=" + most + " (" + most / MIB + " MiB)";
        if (bytes > most && !one.isUsed() && one.isIdle()) {
            throw new IllegalStateException("a worker of `" + function.name() + "` " + said
                    + " when it has opened the function: let memory_bytes be greater than what it needs for that");
        } else if (bytes > HARD * most) {
            context.count("memory_kills", 1);
            one.kill(said + " by a quarter");
        } else if (bytes > most && !one.isLeaving()) {
            one.leave();
            context.warn("a worker of `" + function.name() + "` " + said + "; another takes its place between two batches");
        }
    }

    /**
     * When the first has had its time, or their memory is to be looked at; never if they have nothing to do.
     *
     * @param turn since when it is the turn of the batch which is answered first, but for one that was sent later
     */
    long due(SentBatch first, long turn) {
        long due = fresh.due();
        boolean isBusy = false;
        for (FunctionWorker each : workers) {
            isBusy |= !each.isIdle();
            due = Math.min(due, timeOf(each, first, turn));
        }
        return isBusy && isWatched ? Math.min(due, nextLook) : due;
    }

    private long timeOf(FunctionWorker one, SentBatch first, long turn) {
        boolean isAnswering = first != null && first.by() == one;
        if (one.isKilled() || one.isOpen() && !one.isStale() && !isAnswering) {
            return NEVER;
        }
        long since = !one.isOpen() ? one.startedAt()
                : one.isStale() ? one.staleSince() : Math.max(Math.max(turn, first.at()), one.staleSince());
        return one.isOpen() ? options.answerUntil(since) : options.openUntil(since);
    }

    /** Kills those that have had their time. */
    void killDue(long now, SentBatch first, long turn) {
        for (FunctionWorker each : workers) {
            if (timeOf(each, first, turn) <= now) {
                late(each);
            }
        }
    }

    /** Kills those that have not opened the function. */
    void killUnopened() {
        for (FunctionWorker each : workers) {
            if (!each.isOpen() && !each.isKilled()) {
                late(each);
            }
        }
    }

    private void late(FunctionWorker one) {
        if (one.isOpen()) {
            context.count("timeouts", 1);
        }
        one.kill(one.isOpen() ? "did not answer within timeout_ms=" + options.timeoutMillis()
                : FunctionUpkeep.notOpened(options.openMillis()));
    }

    /** Closes all, also if one of them cannot be. */
    void close() throws IOException {
        if (starting != null) {
            starting.thenAccept(FunctionWorker::close);
        }
        IOException failure = null;
        try {
            fresh.end();
        } catch (IOException failed) {
            failure = failed;
        }
        for (FunctionWorker each : Stream.concat(Stream.of(workers), Stream.of(spare)).toList()) {
            try {
                if (each != null) {     // the start of one may have failed
                    each.process().close();
                }
            } catch (IOException failed) {
                failure = failure == null ? failed : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
