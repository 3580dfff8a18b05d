/**
 * Select lists with aggregates: {@link io.despina.expr.catalyst.aggregate.AggregateSplit} splits a plan into keys, aggregates and
 * results, {@link io.despina.expr.catalyst.aggregate.CatalystAggregation} runs them.
 */
package io.despina.expr.catalyst.aggregate;
