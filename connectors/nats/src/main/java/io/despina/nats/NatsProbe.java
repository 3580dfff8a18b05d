package io.despina.nats;

import io.despina.connect.Connector.Use;
import io.despina.connect.ConnectorSettings;
import io.nats.client.api.StreamInfo;

/** Asks servers for a stream. It makes nothing, not even a consumer. */
final class NatsProbe {
    private final ConnectorSettings settings;
    private final long millis;

    NatsProbe(ConnectorSettings settings, long millis) {
        this.settings = settings;
        this.millis = Math.min(millis, settings.whole("connect_ms"));
    }

    String run(Use use) throws Exception {
        try (Link link = Link.open(settings, "despina-check", millis)) {
            StreamInfo stream = link.stream();
            return "stream " + settings.text("stream") + " (" + stream.getStreamState().getMsgCount() + " messages) at "
                    + settings.text("servers");
        }
    }
}
