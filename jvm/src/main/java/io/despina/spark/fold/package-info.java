/**
 * Operators of a graph inside Spark: over the sorted groups of a batch ({@link OperatorFold}), and as stateful processors of a
 * stream, by {@code transformWithState} from the JVM ({@link StreamedGroups}). There Spark keeps the state and the time. The
 * engine's own operator does the work, in one place and in memory.
 */
package io.despina.spark.fold;
