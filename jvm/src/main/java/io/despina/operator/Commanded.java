package io.despina.operator;

import io.despina.spec.ControlCommand;

/** An operator that takes commands of a user while it runs. The task calls it between two packets. */
public interface Commanded extends Operator {

    /**
     * Does it. Rows that leave by it leave by {@link #timer}: the operator asks for that call by {@link OperatorContext#wake}.
     *
     * @param command  one that the operator's type knows
     * @param argument empty without one
     * @return what was done, in words; may be empty
     * @throws java.io.IOException      it cannot be done now, and the operator goes on as it was
     * @throws IllegalArgumentException the argument, or what it stands for, is of no use; likewise
     */
    String command(ControlCommand command, String argument) throws Exception;
}
