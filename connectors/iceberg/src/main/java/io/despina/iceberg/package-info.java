/** The connector for Iceberg tables: the log by Iceberg's own core; Avro, parquet and Jackson are Spark's. */
package io.despina.iceberg;
