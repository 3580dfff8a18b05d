/**
 * A resource's network: data channels (one TCP connection each) and control connections. The only package that knows Netty; it
 * carries the channels of {@code link}, which knows no socket. Its packages: {@code handshake} before a connection is accepted,
 * {@code frame} afterwards, {@code compress} for the payloads of frames.
 */
package io.despina.wire;
