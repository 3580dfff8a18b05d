/**
 * The operators of the graph file, a file for each type: the declaration of its fields, how it is planned, how its instances are
 * made. {@link Catalogue} lists them.
 */
package io.despina.catalogue;
