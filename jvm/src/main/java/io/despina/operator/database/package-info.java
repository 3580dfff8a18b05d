/** Databases over JDBC: tables to look up in, and statements to execute. */
package io.despina.operator.database;
