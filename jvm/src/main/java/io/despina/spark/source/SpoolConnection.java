package io.despina.spark.source;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.process.Credentials;
import io.despina.control.protocol.Refusal;
import io.despina.control.spool.SpoolClient;
import io.despina.spool.Spool;
import io.despina.spool.SpoolAccess;
import io.despina.spool.Spools;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A task's way to a spool: within its process, or to the resource that has it. */
final class SpoolConnection implements AutoCloseable {
    /** Connections for requests never ask for segments. */
    private static final long NO_SEGMENTS = 64 << 20;

    private final SpoolAccess access;
    /** Null if the spool is here. */
    private final Wire wire;

    SpoolConnection(SpoolPartition partition) {
        Spool here = Spools.find(partition.id());
        try {
            wire = here != null ? null : wire("127.0.0.1", partition.place().secret(), partition.place().tls());
            access = here != null ? here.access()
                    : new SpoolClient(wire, partition.place().host(), partition.place().port(), partition.id());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A network for requests. */
    static Wire wire(String listen, String secret, String tls) throws IOException {
        SegmentPool none = new SegmentPool(new Budget(NO_SEGMENTS));
        try {
            return Wire.open(WireOptions.local(secret.getBytes(StandardCharsets.UTF_8), none, 1, 1)
                    .at(listen, 0, Credentials.tls(tls)));
        } catch (Refusal e) {
            throw new IOException(e.render(), e);
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
