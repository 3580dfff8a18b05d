package io.despina.operator.sink.file;

import java.io.IOException;

/** Waits for the disk. */
@FunctionalInterface
interface DiskCall {
    void run() throws IOException;
}
