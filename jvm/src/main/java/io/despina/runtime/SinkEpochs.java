package io.despina.runtime;

import io.despina.operator.Sink;
import java.util.ArrayDeque;

/**
 * The epochs of a sink that commits. What it takes until it rolls, until the next barrier or until the end is one epoch.
 * Epochs are committed in their order.
 */
final class SinkEpochs {
    private final Sink sink;
    private long current = 1;
    private boolean ended;
    /** Prepared, and not committed. */
    private final ArrayDeque<Long> prepared = new ArrayDeque<>();

    SinkEpochs(Sink sink) {
        this.sink = sink;
    }

    /** The sink is restored. */
    void restored() {
        prepared.addAll(sink.prepared());
        current = 1 + prepared.stream().mapToLong(each -> each).reduce(sink.committed(), Math::max);
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

    /** A barrier comes: the epoch ends, and has its number. */
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
