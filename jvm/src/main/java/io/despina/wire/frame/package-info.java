/** Frames: their header, and the conversion of segments and control messages to bytes of a connection and back. */
package io.despina.wire.frame;
