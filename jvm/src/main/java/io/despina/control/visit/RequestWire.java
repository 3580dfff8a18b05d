package io.despina.control.visit;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.Refusal;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Networks for requests. */
public final class RequestWire {
    /** Connections for requests never ask for segments. */
    private static final long NO_SEGMENTS = 64 << 20;

    private RequestWire() {
    }

    /**
     * For requests to a job's processes.
     *
     * @param secret of that job, or of all that its user has given it
     * @param tls    folder of the files for TLS; null for plain TCP
     */
    public static Wire open(String job, String secret, String tls) throws IOException {
        SegmentPool none = new SegmentPool(new Budget(NO_SEGMENTS));
        try {
            return Wire.open(WireOptions.local(secret.getBytes(StandardCharsets.UTF_8), none, 1, 1)
                    .at("127.0.0.1", 0, Credentials.tls(tls)), job);
        } catch (Refusal e) {
            throw new IOException(e.render(), e);
        }
    }
}
