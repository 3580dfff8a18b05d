package io.despina.spark.source;

import io.despina.control.visit.RequestWire;
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
        Spool here = Spools.find(partition.of().spool(partition.place().instance()));
        try {
            SinkRows rows = partition.of();
            wire = here != null ? null : RequestWire.open(rows.job(), rows.secret(), rows.tls());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        access = here != null ? here.access() : new SpoolOfNow(partition.of(), partition.place(), wire, () -> { });
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
