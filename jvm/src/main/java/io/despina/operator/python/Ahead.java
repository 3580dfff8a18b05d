package io.despina.operator.python;

import io.despina.state.HeldPackets;

/** Which of the packets that are held have answers that came with those of the function before. */
final class Ahead {
    /** Null if no function shares its process with this one. */
    private final Crossing before;
    private final HeldPackets held;
    private final Arrivals arrivals;
    /** So many had been held when the first packet of the crossing came. */
    private long base;
    private int own = Integer.MAX_VALUE;

    Ahead(Crossing before, Arrivals arrivals) {
        this.before = before;
        this.arrivals = arrivals;
        held = arrivals.held();
    }

    void restored() {
        base = held.firstNumber() + held.size();
    }

    /**
     * The answer to packets from that one on.
     *
     * @param next     a packet, by its place among those that are held
     * @param mayLeave false if others must be answered before
     * @return null if they have none, or not all of them have come
     */
    Crossing.Batch next(int next, boolean mayLeave) {
        if (before == null || before.isOff()) {     // what was put there before it was is for nobody
            return null;
        }
        arrivals.want(0);
        long packet = held.firstNumber() + next - base;
        Crossing.Batch answer = before.at(packet);
        if (answer == null) {
            own = (int) Math.min(held.size(), before.next() == Long.MAX_VALUE ? held.size() : next + before.next() - packet);
            return null;
        }
        own = next;
        if (next + answer.rows() > held.size()) {
            arrivals.want(next + answer.rows());
            return null;
        }
        if (!mayLeave) {
            return null;
        }
        before.take();
        return answer;
    }

    /** Where those end, by their places, that a process of its own answers. */
    int own() {
        return Math.min(held.size(), own);
    }
}
