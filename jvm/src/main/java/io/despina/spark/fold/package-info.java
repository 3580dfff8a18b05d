/**
 * Operators of a graph as stateful processors of Spark's streams, by {@code transformWithState} from the JVM: Spark keeps the
 * state and the time, the engine's own operator does the work.
 */
package io.despina.spark.fold;
