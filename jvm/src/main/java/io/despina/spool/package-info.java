/**
 * A log of packets on this machine's disk: one writer appends whole packets, readers take them from any row on, and what is not
 * needed any more is cut off at its beginning.
 */
package io.despina.spool;
