/** Files as a sink: hidden while they are written, and in place when their epoch commits. */
package io.despina.operator.sink.file;
