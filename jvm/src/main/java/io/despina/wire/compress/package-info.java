/** Whether a segment is compressed, and how. Knows no frame and no socket. */
package io.despina.wire.compress;
