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
     * @param listen host at which others come to it
     * @param tls    folder of the files for TLS; null for plain TCP
     */
    public static Wire open(String listen, String secret, String tls) throws IOException {
        SegmentPool none = new SegmentPool(new Budget(NO_SEGMENTS));
        try {
            return Wire.open(WireOptions.local(secret.getBytes(StandardCharsets.UTF_8), none, 1, 1)
                    .at(listen, 0, Credentials.tls(tls)));
        } catch (Refusal e) {
            throw new IOException(e.render(), e);
        }
    }

    /** For requests to others. */
    public static Wire open(String secret, String tls) throws IOException {
        return open("127.0.0.1", secret, tls);
    }
}
