package io.despina.expr;

/**
 * What Spark infers from the first records of a file.
 *
 * @param schema       Spark DDL
 * @param byPlace      CSV: names of the header cannot be columns' names, as one is empty or comes twice; the schema has others
 * @param extraColumns CSV: a record has more columns than the schema
 */
public record InferredRecords(String schema, boolean byPlace, boolean extraColumns) {
}
