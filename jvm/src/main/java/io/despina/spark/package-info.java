/** What of the engine lives in a Spark application. Only it and {@code io.despina.expr.catalyst} know Spark. */
package io.despina.spark;
