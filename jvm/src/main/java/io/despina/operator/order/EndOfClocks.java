package io.despina.operator.order;

import io.despina.operator.Operator;
import io.despina.state.EntryQueues;

/**
 * At the end of the input, gives what waits by each clock, one clock after the other. If the output is full, it goes on later
 * where it stopped.
 */
public final class EndOfClocks {

    /** Gives what waits by one clock. */
    @FunctionalInterface
    public interface Giving {
        /** @return false if there is no room for all of it */
        boolean give(int clock) throws Exception;
    }

    private final EntryQueues queues;
    private final Giving giving;
    /** Of how many clocks all has been given. */
    private int ended;

    /** @param queues what waits, by clock */
    public EndOfClocks(EntryQueues queues, Giving giving) {
        this.queues = queues;
        this.giving = giving;
    }

    /** @return false if there is no room: call again */
    public boolean give() throws Exception {
        while (ended < queues.limit()) {
            if (!giving.give(ended)) {
                return false;
            }
            ended++;
        }
        return true;
    }

    /** Called by the operator's {@link Operator#restored}. */
    public void restored() {
        ended = 0;
    }
}
