/**
 * Spark's Catalyst on packets: the one package that imports Spark. {@link io.despina.expr.catalyst.Analysis} turns text into
 * a checked plan, {@link io.despina.expr.catalyst.Rules} makes it fit to compile, {@link io.despina.expr.catalyst.Codegen}
 * compiles it. Inputs are read through leaf expressions of our own, results are written straight into the open packet.
 */
package io.despina.expr.catalyst;
