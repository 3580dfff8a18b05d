package io.despina.runtime;

import io.despina.buffer.Budget;
import java.util.function.LongSupplier;

/**
 * What a stage is put together from.
 *
 * @param clock  nanoseconds
 * @param budget what its operator's state is counted against
 */
record StageParts(StageSpec spec, StageCounters counters, LongSupplier clock, Budget budget) {
}
