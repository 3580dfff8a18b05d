/**
 * Spark reads the rows that reach a sink of a graph: {@code spark.read} or {@code spark.readStream} with
 * {@code format("despina")}. The job runs on the engine, its rows wait in {@link io.despina.spool spools}, and Spark's tasks
 * take ranges of them.
 */
package io.despina.spark.source;
