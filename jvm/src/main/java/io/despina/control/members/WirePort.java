package io.despina.control.members;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** A socket's port for control connections. */
final class WirePort implements Environment.Port {
    /** The coordinator's connections carry only control messages, so they never use segments. */
    private static final long CONTROL_BUDGET = 64 << 20;

    private final Wire wire;

    private WirePort(Wire wire) {
        this.wire = wire;
    }

    /** As {@link Environment.Ports#open}. */
    static Environment.Port open(ControlAddress at, Tls tls, Function<ControlConnection, ControlHandler> accept)
            throws IOException {
        SegmentPool pool = new SegmentPool(new Budget(CONTROL_BUDGET));
        WireOptions local = WireOptions.local(at.secret().getBytes(StandardCharsets.UTF_8), pool, 1, 1);
        Wire wire = Wire.open(local.at(at.host(), at.port(), tls));
        wire.onControl(accept);
        return new WirePort(wire);
    }

    @Override
    public int number() {
        return wire.port();
    }

    @Override
    public void admit(String name, String secret) {
        wire.admit(name, secret);
    }

    @Override
    public void forget(String name) {
        wire.forget(name);
    }

    @Override
    public void close() {
        wire.close();
    }
}
