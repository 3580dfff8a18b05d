package io.despina.spark.executor;

import io.despina.control.process.Child;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;

/** A resource in an executor, as the driver sees it: a Spark job whose only task it is. */
final class ExecutorTask implements Child {
    private static final long CANCEL_MILLIS = 5_000;

    private final CompletableFuture<JavaFutureAction<List<String>>> submitted = new CompletableFuture<>();
    private final CompletableFuture<String> exit = new CompletableFuture<>();
    /** Completes when Spark has it no more, which may be after {@link #exit}. */
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    /** Written by whoever ends it, read by any. */
    private volatile boolean leaving;

    /**
     * Submits it, on a thread of its own: a job's description belongs to the thread that submits it.
     *
     * @param describe gives this thread's job its group, and its words in Spark's UI
     */
    ExecutorTask(String name, JavaRDD<String> task, Runnable describe) {
        Thread thread = new Thread(() -> run(task, describe), "despina-executor-" + name);
        thread.setDaemon(true);
        thread.setContextClassLoader(ExecutorTask.class.getClassLoader());
        thread.start();
    }

    private void run(JavaRDD<String> task, Runnable describe) {
        String words;
        try {
            describe.run();
            JavaFutureAction<List<String>> action = task.collectAsync();
            submitted.complete(action);
            words = action.get().get(0);
        } catch (CancellationException e) {
            words = "its Spark job was cancelled";
        } catch (ExecutionException e) {
            words = "its Spark job has failed: " + firstLine(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            words = "interrupted";
        } catch (RuntimeException e) {
            words = "Spark does not take its job: " + firstLine(e);
        }
        exit.complete(words.isEmpty() ? "its task has ended" : words);
        submitted.completeExceptionally(new CancellationException());
        over.complete(null);
    }

    private static String firstLine(Throwable cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse(cause.toString());
    }

    /** Its executor is gone; Spark would start the task again in another. */
    void hasLostItsExecutor(String how) {
        exit.complete(how);
    }

    /** Whether it will give its slot back by itself. */
    boolean isLeaving() {
        return leaving && !over.isDone();
    }

    CompletableFuture<Void> over() {
        return over;
    }

    @Override
    public long pid() {
        return 0;
    }

    @Override
    public CompletableFuture<String> onExit() {
        return exit;
    }

    @Override
    public void leave() {
        leaving = true;
    }

    @Override
    public void kill() {
        leave();
        submitted.thenAccept(action -> action.cancel(true));
    }

    @Override
    public void end(long millis) {
        leave();
        if (!isOverWithin(millis)) {
            kill();
            isOverWithin(CANCEL_MILLIS);
        }
    }

    private boolean isOverWithin(long millis) {
        try {
            over.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError("it never fails", e);
        }
    }
}
