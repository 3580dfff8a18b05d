/** Resources in the executors of a Spark application: each is the only task of a job of its own. */
package io.despina.spark.executor;
