package io.despina.operator.python;

import io.despina.python.FunctionProcess;
import java.util.concurrent.CompletableFuture;

/** What an operator does between the last of the processes that leave and the first of those that take over. Its task calls it. */
interface Handover {
    /** Of a function, which holds nothing between two batches. */
    Handover NOTHING = new Handover() {
        @Override
        public boolean isDue() {
            return true;
        }

        @Override
        public CompletableFuture<Void> begin(FunctionProcess next) {
            return CompletableFuture.completedFuture(null);
        }
    };

    /** Whether the old ones have nothing but what is in flight that others could not go on from: they get no more until it is over. */
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
