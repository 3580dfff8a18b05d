package io.despina.spool;

/**
 * How a spool stands.
 *
 * @param first the first row that it still has
 * @param rows  that it was given, those that are cut included: the number of the next one
 * @param bytes of the packets that it was given
 * @param ended nothing follows
 */
public record SpoolState(long first, long rows, long bytes, boolean ended) {
}
