package io.despina.operator.outbox;

import io.despina.connect.Marker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A program outside that takes rows in transactions, with a marker of each; it lives longer than the sinks that write to it. */
class FakeTarget {
    /** What goes wrong with the next transaction. */
    enum Fault {
        NONE,
        /** The target is gone within it. */
        LOST,
        /** It ends, and the answer is lost. */
        ANSWER_LOST,
        /** It does not end, and neither does an answer come. */
        UNKNOWN
    }

    final List<Integer> rows = new ArrayList<>();
    final Map<String, TreeSet<Long>> markers = new HashMap<>();
    Fault fault = Fault.NONE;

    Fault takeFault() {
        Fault now = fault;
        fault = Fault.NONE;
        return now;
    }

    void commit(String outbox, long epoch, List<Integer> more) throws IOException {
        Fault now = takeFault();
        if (now == Fault.LOST) {
            throw new IOException("the target is gone");
        }
        if (now != Fault.UNKNOWN) {
            land(outbox, epoch, more);
        }
        if (now != Fault.NONE) {
            throw new UnknownCommitException("no answer", null);
        }
    }

    final void land(String outbox, long epoch, List<Integer> more) {
        rows.addAll(more);
        markers.computeIfAbsent(outbox, none -> new TreeSet<>()).add(epoch);
    }

    Marker marker(String outbox, long epoch) {
        return markers.getOrDefault(outbox, new TreeSet<>()).contains(epoch) ? Marker.THERE
                : Marker.ABSENT;
    }

    /** Keeps one marker of an outbox, and knows that it had others. */
    static final class Pruning extends FakeTarget {
        @Override
        void commit(String outbox, long epoch, List<Integer> more) throws IOException {
            super.commit(outbox, epoch, more);
            markers.get(outbox).headSet(epoch).clear();
        }

        @Override
        Marker marker(String outbox, long epoch) {
            TreeSet<Long> known = markers.getOrDefault(outbox, new TreeSet<>());
            return !known.isEmpty() && epoch < known.first() ? Marker.PRUNED : super.marker(outbox, epoch);
        }
    }

    /** Gives no answer in time, and ends the transaction later: at the latest when it is asked. */
    static final class Slow extends FakeTarget {
        private Runnable late = () -> { };

        @Override
        void commit(String outbox, long epoch, List<Integer> more) throws IOException {
            Fault now = takeFault();
            if (now == Fault.LOST) {
                throw new IOException("the target is gone");
            }
            if (now == Fault.NONE) {
                land(outbox, epoch, more);
                return;
            }
            late = () -> land(outbox, epoch, more);
            throw new UnknownCommitException("no answer in time", null);
        }

        @Override
        Marker marker(String outbox, long epoch) {
            Runnable waits = late;
            late = () -> { };
            waits.run();
            return super.marker(outbox, epoch);
        }
    }
}
