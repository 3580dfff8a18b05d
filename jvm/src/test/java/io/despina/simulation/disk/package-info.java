/** A disk in memory that may lose what was not forced, under everything that writes through {@link java.nio.file}. */
package io.despina.simulation.disk;
