/** Spark's own reader and writer of parquet files, called row by row without a session. */
package io.despina.expr.catalyst.parquet;
