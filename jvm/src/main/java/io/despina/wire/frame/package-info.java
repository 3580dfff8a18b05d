/** Frames: their header, and what turns segments and control messages into bytes of a connection and back. */
package io.despina.wire.frame;
