/**
 * A bounded queue between the threads of a client library and a source: what peers have sent and the source has not taken. It
 * knows bytes, and no library. Imports {@code wake} alone.
 */
package io.despina.inflow;
