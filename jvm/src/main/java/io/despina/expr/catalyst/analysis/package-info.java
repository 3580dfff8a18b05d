/**
 * From text to a checked plan: {@link io.despina.expr.catalyst.analysis.Analysis} parses and analyses under a graph's settings,
 * {@link io.despina.expr.catalyst.analysis.Rules} prepares the plan for compilation, and {@link
 * io.despina.expr.catalyst.analysis.Problems} reports errors in a graph's words.
 */
package io.despina.expr.catalyst.analysis;
