/** What reading from a job and writing to one have in common: jobs in the driver, connections for requests, and errors. */
package io.despina.spark.job;
