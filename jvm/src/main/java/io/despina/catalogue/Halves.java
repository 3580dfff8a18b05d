package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.packet.Schema;
import io.despina.spec.Partition;
import java.util.function.Supplier;

/**
 * The two parts of a divided operator.
 *
 * @param before  makes the one before the link
 * @param between schema of the rows that it sends
 * @param dealing deals these rows out as the packets would be
 * @param behind  makes the one behind the link
 */
public record Halves(Supplier<Operator> before, Schema between, Partition.KeyHash dealing, Supplier<Operator> behind) {
}
