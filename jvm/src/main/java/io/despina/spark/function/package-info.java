/** Processes of Python functions that operators of a graph have in Spark's tasks. */
package io.despina.spark.function;
