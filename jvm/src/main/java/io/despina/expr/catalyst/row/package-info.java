/** Packets as Spark's rows and Spark's rows as packets: types, values, rows, Arrow batches and sorted groups. */
package io.despina.expr.catalyst.row;
