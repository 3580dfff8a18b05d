package io.despina.operator.python;

import io.despina.operator.OperatorContext;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Processes that open the function as it is now, beside those that answer, and take their places when all have. If one of them
 * cannot, none does. One that dies when all have is replaced: other instances may have taken over by then.
 */
final class FreshWorkers {
    /** Methods that decide what the graph may be, and what its state has: they come and go with the job only. */
    private static final List<String> KEPT = List.of("end", "position", "flush", "prepare");
    /** So many are replaced at most. */
    private static final int MOST_REPLACED = 3;

    private final FunctionSpec function;
    private final FunctionUpkeep options;
    private final OperatorContext context;
    private final List<CompletableFuture<FunctionProcess>> starting = new ArrayList<>();
    private final List<FunctionWorker> workers = new ArrayList<>();
    /** Of those that answer. */
    private final List<String> methods;
    private int count;
    private Waker waker;
    private int replaced;
    /** Why they cannot take over; null if they can, as far as is known. */
    private String failure;
    private final CompletableFuture<String> opened = new CompletableFuture<>();

    /** @param old methods of the class as it was opened before */
    FreshWorkers(FunctionSpec function, FunctionUpkeep options, List<String> old, OperatorContext context) {
        this.function = function;
        this.options = options;
        this.context = context;
        methods = old;
    }

    /** On other threads: the packets go on meanwhile. @param all how many */
    void start(int all, Waker woken) {
        count = all;
        waker = woken;
        for (int k = 0; k < count; k++) {
            start();
        }
    }

    private void start() {
        CompletableFuture<FunctionProcess> one = options.starting().startBeside(function, context::tell, waker);
        starting.add(one);
        one.whenComplete((process, failed) -> waker.wake());
    }

    /** Completes when all have opened the function for the first time; fails with the reason why one has not. */
    CompletableFuture<String> opened() {
        return opened;
    }

    /** Whether all can take over now. */
    boolean areOpen() {
        return workers.size() == count && workers.stream().allMatch(each -> each.unheard() != null);
    }

    /** Why they cannot take over any more; null if they can, or may. */
    String failure() {
        return failure;
    }

    /** Hears what they say. */
    void hear(long now) throws IOException {
        for (CompletableFuture<FunctionProcess> one : List.copyOf(starting)) {
            if (one.isDone()) {
                starting.remove(one);
                take(one, now);
            }
        }
        for (FunctionWorker each : List.copyOf(workers)) {
            hear(each, now);
        }
        if (!opened.isDone() && areOpen()) {
            opened.complete("");
        }
    }

    private void take(CompletableFuture<FunctionProcess> one, long now) throws IOException {
        try {
            workers.add(new FunctionWorker(one.join(), now));
        } catch (CompletionException failed) {
            fail(String.valueOf(failed.getCause().getMessage()));
        }
    }

    private void hear(FunctionWorker one, long now) throws IOException {
        boolean wasOpen = one.unheard() != null;
        WorkerEvent said = one.listen();
        if (said instanceof WorkerEvent.Gone && opened.isDone() && failure == null && replaced < MOST_REPLACED) {
            replaced++;
            workers.remove(one);
            one.process().close();
            start();
        } else if (said instanceof WorkerEvent.Gone gone) {
            fail("a worker of " + function.names() + " " + gone.why());
        } else if (said instanceof WorkerEvent.Refused refused) {
            fail(refused.why());
        } else if (!wasOpen && one.unheard() != null) {
            check(one);
        } else if (!wasOpen && !one.isKilled() && now >= dueOf(one)) {
            one.kill(FunctionUpkeep.notOpened(options.openMillis()));
        }
    }

    private void check(FunctionWorker one) throws IOException {
        long bytes = one.process().memoryBytes();
        List<String> now = one.unheard().methods();
        String other = KEPT.stream().filter(each -> now.contains(each) != methods.contains(each)).findFirst().orElse(null);
        if (other != null) {
            fail("the class of `" + function.name() + "` " + (methods.contains(other) ? "has no `" + other + "` any more"
                    : "has `" + other + "` now") + ": start the job again for that");
        } else if (one.unheard().behind() < function.user().behind().size()) {
            fail(one.unheard().lacking());
        } else if (bytes > options.memoryBytes()) {
            fail("a worker of `" + function.name() + "` uses " + bytes
                    + " bytes when it has opened the function, more than memory_bytes=" + options.memoryBytes());
        }
    }

    private long dueOf(FunctionWorker one) {
        return options.openUntil(one.startedAt());
    }

    /** When the first of them has had its time; never if all are open. */
    long due() {
        return workers.stream().filter(each -> each.unheard() == null && !each.isKilled()).mapToLong(this::dueOf).min()
                .orElse(Long.MAX_VALUE);
    }

    /** They are needed no more, which is no fault. */
    void end(String why) {
        opened.complete(why);
    }

    /** They leave. */
    void fail(String why) throws IOException {
        failure = failure == null ? why : failure;
        starting.forEach(one -> one.thenAccept(FunctionWorker::close));
        starting.clear();
        List<FunctionWorker> all = take();
        opened.completeExceptionally(new IOException(why));
        for (FunctionWorker each : all) {
            each.process().close();
        }
    }

    /** That one of them which is in the first place. */
    FunctionProcess first() {
        return workers.get(0).process();
    }

    /** They are somebody else's from now on. */
    List<FunctionWorker> take() {
        List<FunctionWorker> all = List.copyOf(workers);
        workers.clear();
        return all;
    }
}
