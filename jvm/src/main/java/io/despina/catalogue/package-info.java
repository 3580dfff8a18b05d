/**
 * The operators of the graph file, a file for each type: the declaration of its fields, its planning, and the making of its
 * instances. {@link Catalogue} lists them.
 */
package io.despina.catalogue;
