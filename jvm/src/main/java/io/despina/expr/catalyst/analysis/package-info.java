/**
 * From text to a checked plan: {@link io.despina.expr.catalyst.analysis.Analysis} parses and analyses under a graph's settings,
 * {@link io.despina.expr.catalyst.analysis.Rules} makes the plan fit to compile, and
 * {@link io.despina.expr.catalyst.analysis.Problems} says in a graph's words what is wrong.
 */
package io.despina.expr.catalyst.analysis;
