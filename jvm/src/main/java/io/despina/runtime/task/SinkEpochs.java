package io.despina.runtime.task;

import io.despina.operator.Sink;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * The epochs of a sink that commits. What it takes until it rolls, or until the next barrier, is one epoch. Epochs are committed
 * in their order, one at a time. A snapshot has those that are prepared: they are committed when it is complete, also by an
 * attempt that is restored from it.
 */
final class SinkEpochs {
    /** Names of what a snapshot has. */
    private static final String CURRENT = "current";
    private static final String PREPARED = "prepared";
    /** Those of them whose commit somebody sees. */
    private static final String SHOWS = "shows";
    /** The last whose commit somebody has seen. */
    private static final String SHOWN = "shown";

    /**
     * @param number the sink's own
     * @param epoch  the job's
     */
    private record Prepared(long number, long epoch) {
    }

    private final Sink sink;
    private final StageCalls calls;
    private final Executor own;
    private final LongConsumer committed;
    private long current = 1;
    /** Prepared, and not committed. */
    private final ArrayDeque<Prepared> prepared = new ArrayDeque<>();
    /** The last of which somebody has seen rows, by its number; 0 for none. */
    private long shown;
    /** The job's epoch up to which all may be committed. */
    private long wanted;
    /** Whether the job ends with that epoch. */
    private boolean isLast;
    /** Whether the sink commits the first of {@link #prepared} now. */
    private boolean committing;
    private final NamedEntries state = new NamedEntries("sink_epochs", this::standing).orMissing();

    /**
     * @param own       runs something on the task's thread
     * @param committed told up to which of the job's epochs the sink has committed
     */
    SinkEpochs(Sink sink, StageCalls calls, Executor own, LongConsumer committed) {
        this.sink = sink;
        this.calls = calls;
        this.own = own;
        this.committed = committed;
    }

    private Map<String, String> standing() {
        return Map.of(CURRENT, Long.toString(current),
                PREPARED, prepared.stream().map(each -> Long.toString(each.number)).collect(Collectors.joining(" ")),
                SHOWS, prepared.stream().filter(each -> sink.shows(each.number)).map(each -> Long.toString(each.number))
                        .collect(Collectors.joining(" ")),
                SHOWN, Long.toString(shown));
    }

    State state() {
        return state;
    }

    /** The state is restored. At another parallelism an instance commits the epochs of all; some are empty for it. */
    void restored() {
        TreeSet<Long> epochs = new TreeSet<>();
        for (Map<String, String> each : state.restored()) {
            long next = Long.parseLong(each.getOrDefault(CURRENT, "1"));
            current = Math.max(current, next);
            String last = each.get(SHOWN);      // an engine before this one did not say it: it may have been any
            shown = Math.max(shown, last == null ? next - 1 : Long.parseLong(last));
            for (String epoch : each.getOrDefault(PREPARED, "").split(" ")) {
                if (!epoch.isEmpty()) {
                    epochs.add(Long.parseLong(epoch));
                }
            }
        }
        epochs.forEach(epoch -> prepared.add(new Prepared(epoch, epoch)));
    }

    /** @return when to be called again at the latest, for a sink that shows what it has now and then */
    long roll(long now) throws Exception {
        if (sink.roll(current, now)) {
            current++;
        }
        return sink.rollAt();
    }

    /** The end of a job without snapshots: its sinks roll, and number their epochs themselves. As {@link #barrier}. */
    CompletableFuture<Void> last(long epoch) throws Exception {
        return prepared(sink.prepare(current), current, epoch);
    }

    /**
     * A barrier ends the current epoch.
     *
     * @param whole see {@link JobSnapshots#isWhole}
     * @return completes when the sink has prepared
     */
    CompletableFuture<Void> barrier(long epoch, boolean whole) throws Exception {
        return prepared(whole ? sink.prepareWhole(epoch) : sink.prepare(epoch), epoch, epoch);
    }

    private CompletableFuture<Void> prepared(CompletableFuture<Void> done, long number, long epoch) {
        prepared.add(new Prepared(number, epoch));
        current = number + 1;
        return done;
    }

    /**
     * Commits all epochs up to one, as soon as those before are.
     *
     * @param ends whether the job ends with it: then it is told when nobody needs the sink any more
     */
    void commit(long epoch, boolean ends) throws Exception {
        wanted = Math.max(wanted, epoch);
        isLast |= ends;
        proceed();
    }

    private void proceed() throws Exception {
        while (!committing) {
            Prepared next = prepared.peek();
            if (next == null || next.epoch > wanted) {
                tell(isLast ? sink.taken() : Sink.DONE);
                return;
            }
            if (sink.shows(next.number)) {
                shown = next.number;
            }
            CompletableFuture<Void> done = sink.commit(next.number);
            if (done.isDone()) {
                done.join();
                prepared.remove();
            } else {
                committing = true;
                done.whenComplete((nothing, failure) -> own.execute(() -> committed(failure)));
            }
        }
    }

    private void tell(CompletableFuture<Void> taken) {
        long done = wanted;
        if (taken.isDone()) {
            taken.join();
            committed.accept(done);
        } else {
            taken.whenComplete((nothing, failure) -> own.execute(() -> {
                if (failure != null) {
                    throw calls.failed(failure);
                }
                committed.accept(done);
            }));
        }
    }

    /** On the task's thread: the sink has committed an epoch, or could not. */
    private void committed(Throwable failure) {
        if (failure != null) {
            throw calls.failed(failure);
        }
        committing = false;
        prepared.remove();
        calls.run(this::proceed);
    }

    void finish() throws Exception {
        sink.finish();
    }

    void succeed() throws Exception {
        sink.succeed();
    }

    void abort() throws Exception {
        sink.abort();
    }
}
