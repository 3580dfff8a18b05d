/**
 * Sockets to programs outside: listening, connecting, TLS, how records are framed. What a peer sends goes to
 * an {@link io.despina.inflow.Inflow}. It knows bytes, not packets.
 */
package io.despina.socket;
