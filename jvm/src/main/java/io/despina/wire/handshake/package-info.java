/** The handshake of every connection: both sides prove that they know the job secret, inside TLS if it is on. */
package io.despina.wire.handshake;
