package io.despina.operator;

import io.despina.spec.ControlCommand;
import java.util.concurrent.CompletableFuture;

/** An operator that takes commands of a user while it runs. The task calls it between two packets. */
public interface Commanded extends Operator {

    /**
     * Does it. Rows that leave by it leave by {@link #timer}: the operator asks for that call by {@link OperatorContext#wake}.
     *
     * @param command  one that the operator's type knows
     * @param argument empty without one
     * @return completes when it is done, with what was done in words, which may be empty. Where that takes a while, the operator
     *         goes on meanwhile. It fails if it could not be done after all, and then the operator goes on as it was
     * @throws java.io.IOException      it cannot be done now; likewise
     * @throws IllegalArgumentException the argument, or what it stands for, is of no use; likewise
     */
    CompletableFuture<String> command(ControlCommand command, String argument) throws Exception;
}
