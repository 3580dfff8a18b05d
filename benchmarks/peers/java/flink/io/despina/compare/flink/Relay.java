package io.despina.compare.flink;

import io.despina.compare.Presence;
import io.despina.compare.Settings;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Passes each packet on. */
final class Relay extends RichMapFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1;

    private final Settings settings;

    Relay(Settings settings) {
        this.settings = settings;
    }

    @Override
    public void open(OpenContext context) {
        Presence.announce(settings, "relay");
    }

    @Override
    public byte[] map(byte[] packet) {
        return packet;
    }
}
