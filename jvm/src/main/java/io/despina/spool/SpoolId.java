package io.despina.spool;

/**
 * Which spool.
 *
 * @param generation nobody else's, and not to be guessed
 * @param instance   of the sink whose rows these are
 */
public record SpoolId(String generation, int instance) {
}
