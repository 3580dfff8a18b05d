/** Rows into a table of a database. */
package io.despina.operator.database.sink;
