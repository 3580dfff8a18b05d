/** Files as Spark reads them for a graph: Spark's own formats, with the engine's rules where these are stricter. */
package io.despina.spark.file;
