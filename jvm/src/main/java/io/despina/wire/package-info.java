/**
 * What goes over sockets: frames, their reader and writer, the handshake, data channels (one TCP connection each) and control
 * connections. The only package that knows Netty; it carries the channels of {@code link}, which knows no socket.
 */
package io.despina.wire;
