package io.despina.operator.control;

import io.despina.spec.ControlAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Tells the operators of a job what to do, from within it. */
@FunctionalInterface
public interface GraphControl {
    /** Where no job runs. */
    GraphControl NOBODY = (command, operator, argument) -> CompletableFuture.failedFuture(
            new IllegalStateException("there is no job that could be told"));

    /**
     * Asks; any thread may call it, and nothing here waits.
     *
     * @param operator empty for all that know the command
     * @return completes when all instances have answered; fails, with words for the user, if nothing was done, or not all have
     *         answered in time
     */
    CompletableFuture<List<ControlAnswer>> tell(String command, String operator, String argument);
}
