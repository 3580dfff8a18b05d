package io.despina.operator.order;

import java.util.ArrayDeque;
import java.util.Deque;

/** When packets that are held were due, in their order: one instant for all that came together. */
public final class Origins {
    /** Of a run, with its place in the queue. */
    private static final int RUN_BYTES = 40;

    /** Packets that came together, as far as they are held. */
    private static final class Run {
        /** In nanoseconds of the job's clock. */
        private final long origin;
        private int packets;

        Run(long origin, int packets) {
            this.origin = origin;
            this.packets = packets;
        }
    }

    private final Deque<Run> runs = new ArrayDeque<>();
    private int packets;

    /** So many packets came last, and are held. @param origin in nanoseconds of the job's clock */
    public void add(int count, long origin) {
        if (count == 0) {
            return;
        }
        packets += count;
        Run last = runs.peekLast();
        if (last != null && last.origin == origin) {
            last.packets += count;
        } else {
            runs.add(new Run(origin, count));
        }
    }

    /** So many packets are held still: the first of the others have left. */
    public void shrink(int held) {
        while (packets > held) {
            Run first = runs.peekFirst();
            int gone = Math.min(first.packets, packets - held);
            packets -= gone;
            first.packets -= gone;
            if (first.packets == 0) {
                runs.removeFirst();
            }
        }
    }

    /** When the first packet that is held was due; {@code none} if none is held. */
    public long first(long none) {
        return runs.isEmpty() ? none : runs.peekFirst().origin;
    }

    /** An estimate of the memory held. */
    public long bytes() {
        return (long) runs.size() * RUN_BYTES;
    }
}
