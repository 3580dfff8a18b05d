package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.plan.OperatorSpec;

/** A spec that can make instances of its operator. */
interface ExecutableSpec extends OperatorSpec {

    Operator make(InstanceContext making);

    /** Its parts, if it {@link #canBeDivided}. */
    default Halves halves(InstanceContext making) {
        throw new IllegalStateException(making.id() + " is not divided");
    }
}
