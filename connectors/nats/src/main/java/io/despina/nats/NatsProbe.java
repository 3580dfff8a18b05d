package io.despina.nats;

import io.despina.connect.Connector.Use;
import io.despina.connect.ConnectorSettings;
import io.nats.client.api.StreamInfo;
import java.io.IOException;

/** Asks servers for a stream. It makes nothing, not even a consumer, and sends no message. */
final class NatsProbe {
    private final ConnectorSettings settings;
    private final long millis;

    NatsProbe(ConnectorSettings settings, long millis) {
        this.settings = settings;
        this.millis = Math.min(millis, settings.whole("connect_ms"));
    }

    String run(Use use) throws Exception {
        try (Link link = Link.open(settings, "despina-check", millis)) {
            String at = " at " + settings.text("servers");
            if (!settings.has("stream")) {
                return "the servers take the login (whether they let it " + (use == Use.READ ? "subscribe" : "publish")
                        + ", they tell only then)" + at;
            }
            if (use != Use.READ) {
                new SinkStream(settings, use == Use.WRITE_EPOCHS).learn(link);
            }
            StreamInfo stream = link.stream();
            return "stream " + settings.text("stream") + " (" + stream.getStreamState().getMsgCount() + " messages)"
                    + (use == Use.WRITE_EPOCHS ? marks(link) : "") + at;
        }
    }

    private String marks(Link link) throws IOException {
        return ", stream " + settings.text("markers") + " for markers"
                + (new Marks(settings).found(link) == null ? " is made by a job with a state" : "");
    }
}
