/**
 * Select lists with aggregates: {@link io.despina.expr.catalyst.aggregate.AggregateSplit} takes a plan apart into keys,
 * aggregates and results, {@link io.despina.expr.catalyst.aggregate.CatalystAggregation} runs them.
 */
package io.despina.expr.catalyst.aggregate;
