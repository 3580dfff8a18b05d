/** A client of schema registries, by the REST calls of Confluent's: schemas by their number, and numbers for schemas. */
package io.despina.registry;
