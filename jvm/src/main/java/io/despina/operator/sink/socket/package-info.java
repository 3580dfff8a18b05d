/** Sinks that send to programs over sockets, and try again while these are away. */
package io.despina.operator.sink.socket;
