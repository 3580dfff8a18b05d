package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.plan.OperatorSpec;

/** What an operator is to do, and how an instance is made that does it. */
interface ExecutableSpec extends OperatorSpec {

    Operator make(InstanceContext making);
}
