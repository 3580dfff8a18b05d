package io.despina.operator.python;

import java.util.ArrayDeque;
import java.util.Deque;

/** When packets that are held were due, in their order: one instant for all that came together. */
final class Origins {
    /** @param origin in nanoseconds of the job's clock */
    private record Run(long origin, int packets) {
    }

    private final Deque<Run> runs = new ArrayDeque<>();
    private int packets;

    /** So many packets came last, and are held. */
    void add(int count, long origin) {
        if (count == 0) {
            return;
        }
        packets += count;
        Run last = runs.peekLast();
        boolean together = last != null && last.origin == origin;
        runs.add(new Run(origin, together ? runs.removeLast().packets + count : count));
    }

    /** So many packets are held still: the first of the others have left. */
    void shrink(int held) {
        while (packets > held) {
            Run run = runs.remove();
            int left = Math.max(0, run.packets - (packets - held));
            packets -= run.packets - left;
            if (left > 0) {
                runs.addFirst(new Run(run.origin, left));
            }
        }
    }

    /** When the first packet that is held was due; {@code none} if none is held. */
    long first(long none) {
        return runs.isEmpty() ? none : runs.peekFirst().origin;
    }
}
