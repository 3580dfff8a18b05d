/**
 * Sockets to programs outside: listening, connecting, TLS, how records are framed, and a bounded queue between the IO threads and
 * a source. It knows bytes, not packets.
 */
package io.despina.socket;
