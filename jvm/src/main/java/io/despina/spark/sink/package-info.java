/**
 * Spark writes to a {@code spark_source} of a running job: {@code df.writeStream} or {@code df.write} with {@code
 * format("despina")}. Its tasks stage rows in the source's resources, and its driver commits them epoch by epoch ({@link
 * io.despina.control.staging}).
 */
package io.despina.spark.sink;
