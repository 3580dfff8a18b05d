/**
 * Spark SQL text to typed expressions to compiled functions on packet bytes. The types here name no Spark class, so the
 * engine's core runs without Spark; {@code expr.catalyst} is the one package that imports Spark's Catalyst, and is loaded
 * when the first expression asks for it.
 */
package io.despina.expr;
