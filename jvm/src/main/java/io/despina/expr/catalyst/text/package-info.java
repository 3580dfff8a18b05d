/** Spark's own readers and writers of csv, json and text, called line by line, and the schema that Spark infers from lines. */
package io.despina.expr.catalyst.text;
