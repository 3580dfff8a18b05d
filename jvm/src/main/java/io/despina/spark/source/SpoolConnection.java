package io.despina.spark.source;

import io.despina.control.spool.SpoolClient;
import io.despina.spark.job.RequestWire;
import io.despina.spool.Spool;
import io.despina.spool.SpoolAccess;
import io.despina.spool.Spools;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A task's way to a spool: within its process, or to the resource that has it. */
final class SpoolConnection implements AutoCloseable {
    private final SpoolAccess access;
    /** Null if the spool is here. */
    private final Wire wire;

    SpoolConnection(SpoolPartition partition) {
        Spool here = Spools.find(partition.id());
        try {
            wire = here != null ? null : RequestWire.open(partition.place().secret(), partition.place().tls());
            access = here != null ? here.access()
                    : new SpoolClient(wire, partition.place().host(), partition.place().port(), partition.id());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SpoolAccess access() {
        return access;
    }

    @Override
    public void close() {
        if (wire != null) {
            wire.close();
        }
    }
}
