package io.despina.state;

import java.util.function.IntUnaryOperator;

/** A round over the clocks of all keys in which their packets move, cut into short calls. */
final class ClockRound {
    /** About so many packets move in a call; more only if they are of one key. */
    private static final int PACKETS = 1 << 12;
    private static final int OVER = -1;

    private int next = OVER;

    boolean isOver() {
        return next == OVER;
    }

    /**
     * Begins a round, or goes on with it.
     *
     * @param limit clocks have numbers below this
     * @param clock moves the packets of a clock, and answers how many they are
     */
    void goOn(int limit, IntUnaryOperator clock) {
        next = Math.max(next, 0);
        for (int moved = 0; next < limit && moved < PACKETS; next++) {
            moved += 1 + clock.applyAsInt(next);
        }
        next = next < limit ? next : OVER;
    }

    void end() {
        next = OVER;
    }
}
