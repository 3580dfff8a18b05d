/** What both sides of a connection say before anything else: they prove that they know the job secret, inside TLS if it is on. */
package io.despina.wire.handshake;
