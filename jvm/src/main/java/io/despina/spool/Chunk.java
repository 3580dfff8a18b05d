package io.despina.spool;

/**
 * Whole records of a spool, one after the other.
 *
 * @param length of what counts in {@code bytes}; 0 for none
 * @param ended  nothing follows these
 */
public record Chunk(byte[] bytes, int length, boolean ended) {
}
