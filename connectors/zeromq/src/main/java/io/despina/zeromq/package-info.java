/** Sources and sinks of ZeroMQ, over JeroMQ: a {@link io.despina.zeromq.Peer} is a socket of one instance, with its keys. */
package io.despina.zeromq;
