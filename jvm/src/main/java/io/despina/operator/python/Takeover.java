package io.despina.operator.python;

import io.despina.python.FunctionProcess;
import java.util.concurrent.CompletableFuture;

/** What an operator does between the processes that leave and those that take over. Its task calls it. */
interface Takeover {
    /** Of a function, which holds nothing between two batches. */
    Takeover NOTHING = new Takeover() {
        @Override
        public boolean isDue() {
            return true;
        }

        @Override
        public CompletableFuture<Void> begin(FunctionProcess next) {
            return CompletableFuture.completedFuture(null);
        }
    };

    /** Whether others could go on from what the old ones have, but for what is in flight: these get no more. */
    boolean isDue();

    /** Whether the old ones have answered all that they were asked for. */
    default boolean isQuiet() {
        return true;
    }

    /**
     * Asks for what must be done before the new ones get anything. Nothing is in flight.
     *
     * @param next the first of the new ones
     * @return completes when it is done. If it fails, the old ones go on
     */
    CompletableFuture<Void> begin(FunctionProcess next);
}
