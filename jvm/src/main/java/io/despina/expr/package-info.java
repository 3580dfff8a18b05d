/**
 * Turns Spark SQL text into typed expressions and compiled functions on packet bytes. The types here name no Spark class, so the
 * engine's core runs without Spark. Only {@code expr.catalyst} and its sub-packages import Spark; the first expression loads
 * them.
 */
package io.despina.expr;
