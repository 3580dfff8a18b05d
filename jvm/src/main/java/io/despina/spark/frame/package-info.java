/** What Python asks of Spark's own plans: {@link Frames} is its façade. Texts and frames go in, frames come out. */
package io.despina.spark.frame;
