/** The connector for Delta tables: the log by Delta's own kernel; Hadoop, parquet and Jackson are Spark's. */
package io.despina.delta;
