/** Rows of a table of a database. */
package io.despina.operator.database.source;
