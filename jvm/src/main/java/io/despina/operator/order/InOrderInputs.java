package io.despina.operator.order;

import io.despina.operator.OperatorContext;
import io.despina.state.EventOrder;

/** Opens input ports that deliver their packets in event order. */
public final class InOrderInputs {
    private InOrderInputs() {
    }

    /**
     * The first input of an operator. Whether its groups have clocks decides of which class it is, so that packets of common time
     * are not asked.
     *
     * @param groups the operator's
     * @param keys   reads them
     * @param taking what the operator does as soon as packets are ready, if their keys have clocks
     */
    public static InOrder open(OperatorContext context, EventOrder order, Keys groups, KeyReader keys, InOrder.Taking taking) {
        return groups.clocks() == null
                ? new OrderedInput(context, 0, new OrderedInput.Waiting(order, context.input(0), ""), keys)
                : new ClockedInput(context, order, groups.clocks(), taking);
    }
}
