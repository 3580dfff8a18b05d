package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OpeningException;
import io.despina.operator.OperatorContext;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.InstancePlace;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The processes of one operator instance: starts them, hears them, has others take their places, and watches their memory. A
 * batch goes to the one that has the fewest, and each answers its own in order. So the answers to all are in order if the one is
 * heard that has the oldest batch; the others wait.
 */
final class FunctionWorkers {
    private FunctionSpec function;
    private final FunctionUpkeep options;
    private final MemoryWatch memory;
    private final int count;
    private final OperatorContext context;
    private Takeover takeover;
    private Leading behind;
    private Waker waker;
    /** None before they are started. */
    private FunctionWorker[] workers = {};
    private final SpareWorker spare;
    /** Of processes that open the function anew. No batch is sent while they are to take over. */
    private FunctionReload fresh;
    /** Who has said what {@link #poll} gave last. */
    private FunctionWorker speaker;
    private List<String> methods = List.of();
    /** Nobody wants answers to batches up to this number. */
    private long stale;
    /** The number of the one that took its place last. */
    private int last;
    /** The same when one died last: those up to it may be dying of what that one died of. */
    private int old;
    /** Whether batches wait for one that is new. */
    private boolean careful;
    /** Whether all have opened the function once. */
    private boolean wereOpen;

    /** None is started yet. @param count how many of them */
    FunctionWorkers(FunctionSpec of, FunctionUpkeep upkeep, int count, OperatorContext context) {
        options = upkeep;
        function = of.at(new InstancePlace(context.operatorId(), context.instance(), context.parallelism()));
        this.context = context;
        this.count = count;
        memory = new MemoryWatch(function.names(), options, context);
        spare = new SpareWorker(options, context);
    }

    /**
     * Before all else.
     *
     * @param functions that are behind its own in a process
     * @param woken     when one has said something, on any thread
     */
    void begin(Takeover ofAll, Leading functions, Waker woken) {
        takeover = ofAll;
        behind = functions;
        fresh = new FunctionReload(function, options, context, takeover);
        waker = woken;
    }

    void start() throws IOException {
        memory.begin();
        workers = new FunctionWorker[count];
        for (int k = 0; k < count; k++) {
            workers[k] = started();
            workers[k].takePlace(context.clock().getAsLong(), ++last, 0);
        }
    }

    boolean areStarted() {
        return workers.length > 0;
    }

    /** They have nothing to do, and leave until they are started again. */
    void stop() throws IOException {
        FunctionWorker[] all = workers;
        workers = new FunctionWorker[0];
        for (FunctionWorker each : all) {
            each.process().close();
        }
        spare.leave();
    }

    /** From now on processes have its own function alone. */
    void callAlone() {
        function = function.before(List.of());
        fresh = new FunctionReload(function, options, context, takeover);
    }

    /** Of the functions that a process calls, for messages. */
    String names() {
        return function.names();
    }

    /** Whether none has anything to do, or is being opened. */
    boolean areIdle() {
        return areOpen() && Stream.of(workers).allMatch(FunctionWorker::isIdle);
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
        return workers.length == 0 || workers[0] == null ? null : workers[0].process();
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
                if (said instanceof WorkerEvent.Rows && each.hasEnded()) {
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
        memory.look(speaker);
        if (areOpen()) {
            spare.start(function, waker);
        }
    }

    /** Hears the spare. */
    void hearSpare() throws IOException {
        spare.hear(function.names());
    }

    /** A step towards the function as it is on the disk now. @param step as of {@link FunctionReload#reload}, as its place is */
    CompletableFuture<String> reload(String step, int place) throws IOException {
        return fresh.reload(step, place, methods, workers.length, waker);
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
        spare.leave();       // another is started when these have been heard
        waker.wake();
        fresh.taken(workers.length);
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
        FunctionWorker ready = spare.take();
        FunctionWorker next = ready == null ? started() : ready;
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

    /** Looks at their memory, if it is time to. */
    void look(long now) {
        memory.look(now, workers);
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
        return isBusy ? Math.min(due, memory.due()) : due;
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
        if (one.isOpen() && !behind.isLate(one.process().place())) {
            context.count("timeouts", 1);
        }
        one.kill(one.isOpen() ? "did not answer within timeout_ms=" + options.timeoutMillis()
                : FunctionUpkeep.notOpened(options.openMillis()));
    }

    /** What a sink has counted while it committed. */
    private void tellLast() {
        FunctionProcess process = process();
        for (WorkerEvent event = process == null ? null : process.poll(); event != null; event = process.poll()) {
            if (event instanceof WorkerEvent.Counted counted && counted.batch() == 0) {
                counted.counts().forEach(context::count);
            }
        }
    }

    /** Closes all, also if one of them cannot be. */
    void close() throws IOException {
        tellLast();
        IOException failure = null;
        List<Closeable> all = new ArrayList<>();
        all.add(fresh::end);
        all.add(spare::leave);
        for (FunctionWorker each : workers) {
            if (each != null) {     // the start of one may have failed
                all.add(each.process());
            }
        }
        for (Closeable each : all) {
            try {
                each.close();
            } catch (IOException failed) {
                failure = failure == null ? failed : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
