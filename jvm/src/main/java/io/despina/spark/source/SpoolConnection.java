package io.despina.spark.source;

import io.despina.spark.job.RequestWire;
import io.despina.spool.SpoolAccess;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A task's way to a spool: within its process, or to the resource that has it. */
final class SpoolConnection implements AutoCloseable {
    private final SpoolAccess access;
    private final Wire wire;

    SpoolConnection(SpoolPartition partition) {
        try {
            wire = RequestWire.open(partition.of().secret(), partition.of().tls());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        access = new SpoolOfNow(partition.of(), partition.place(), wire, () -> { });
    }

    SpoolAccess access() {
        return access;
    }

    @Override
    public void close() {
        wire.close();
    }
}
