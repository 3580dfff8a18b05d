package io.despina.runtime.task;

import io.despina.operator.Sink;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The epochs of a sink that commits. What it takes until it rolls, until the next barrier or until the end is one epoch. Epochs
 * are committed in their order. A snapshot has those that are prepared: they are committed when it is complete, also by an
 * attempt that is restored from it.
 */
final class SinkEpochs {
    /** Names of what a snapshot has. */
    private static final String CURRENT = "current";
    private static final String PREPARED = "prepared";

    private final Sink sink;
    private long current = 1;
    private boolean ended;
    /** Prepared, and not committed. */
    private final ArrayDeque<Long> prepared = new ArrayDeque<>();
    private final NamedEntries state = new NamedEntries("sink_epochs", this::standing);

    SinkEpochs(Sink sink) {
        this.sink = sink;
    }

    private Map<String, String> standing() {
        return Map.of(CURRENT, Long.toString(current),
                PREPARED, prepared.stream().map(epoch -> epoch.toString()).collect(Collectors.joining(" ")));
    }

    State state() {
        return state;
    }

    /** The state is restored. At another parallelism an instance commits the epochs of all; some are empty for it. */
    void restored() {
        TreeSet<Long> epochs = new TreeSet<>();
        for (Map<String, String> each : state.restored()) {
            current = Math.max(current, Long.parseLong(each.getOrDefault(CURRENT, "1")));
            for (String epoch : each.getOrDefault(PREPARED, "").split(" ")) {
                if (!epoch.isEmpty()) {
                    epochs.add(Long.parseLong(epoch));
                }
            }
        }
        prepared.addAll(epochs);
    }

    /** @return when to be called again at the latest, for a sink that shows what it has now and then */
    long roll(long now) throws Exception {
        if (ended) {
            return Sink.NEVER;
        }
        if (sink.roll(current, now)) {
            current++;
        }
        return sink.rollAt();
    }

    /** A barrier ends the current epoch, which gets the barrier's number. */
    void barrier(long epoch) throws Exception {
        if (!ended) {
            sink.prepare(epoch);
            prepared.add(epoch);
            current = epoch + 1;
        }
    }

    /** The input has ended: what came last is an epoch too. */
    void end() throws Exception {
        if (!ended) {
            ended = true;
            sink.prepare(current);
            prepared.add(current);
        }
    }

    /** Commits all epochs up to one. */
    void commit(long last) throws Exception {
        while (!prepared.isEmpty() && prepared.peek() <= last) {
            sink.commit(prepared.peek());
            prepared.remove();
        }
    }

    void succeed() throws Exception {
        sink.succeed();
    }

    void abort() throws Exception {
        sink.abort();
    }
}
