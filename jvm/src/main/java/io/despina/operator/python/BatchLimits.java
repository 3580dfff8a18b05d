package io.despina.operator.python;

/**
 * How large a batch may be.
 *
 * @param rows  at most
 * @param bytes of its packets, at which it is sent
 */
record BatchLimits(int rows, int bytes) {
}
