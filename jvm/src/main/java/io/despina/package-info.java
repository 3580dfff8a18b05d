/** Despina, a stream engine for very many small packets. ARCHITECTURE.md walks one packet through the packages below. */
package io.despina;
