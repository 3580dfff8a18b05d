/** The graph file: JSON with places, the one declaration of every field, diagnostics, the canonical form. */
package io.despina.descriptor;
