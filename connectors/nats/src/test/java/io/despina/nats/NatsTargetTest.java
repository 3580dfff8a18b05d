package io.despina.nats;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.MarkedTargetContract;
import io.despina.operator.outbox.ServerProcess;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A stream of JetStream. */
@ConnectorCase("nats: empty, ahead")
class NatsTargetTest extends MarkedTargetContract {
    private static final long CONNECT_MS = 10_000;
    private static final String STREAM = "t";
    private static final String MARKERS = "m";

    private static ServerProcess server;

    @BeforeAll
    static void start(@TempDir Path of) throws IOException {
        server = ServerProcess.start("nats-server", of, port -> List.of("-js", "-sd", of.resolve("data").toString(), "-a",
                "127.0.0.1", "-p", Integer.toString(port)));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static ConnectorSettings settings() {
        return new ConnectorSettings(Map.of("servers", "nats://127.0.0.1:" + server.port(), "stream", STREAM, "subject", STREAM,
                "markers", MARKERS, "connect_ms", CONNECT_MS, "retry_for_ms", 60_000L, "buffer_bytes", 1L << 20,
                "max_in_flight", 100L));
    }

    @Override
    protected void prepare() throws Exception {
        try (Link link = Link.open(settings(), "test", CONNECT_MS)) {
            JetStreamManagement streams = link.management();
            for (String each : streams.getStreamNames()) {
                streams.deleteStream(each);
            }
            streams.addStream(StreamConfiguration.builder().name(STREAM).subjects(STREAM).build());
        }
    }

    @Override
    protected MarkedSink sink() {
        return records(NatsConnector::new, settings());
    }

    @Override
    protected List<Integer> rows() throws Exception {
        List<Integer> found = new ArrayList<>();
        try (Link link = Link.open(settings(), "test", CONNECT_MS)) {
            JetStreamManagement streams = link.management();
            for (long k = 1; k <= link.stream().getStreamState().getLastSequence(); k++) {
                found.add(Integer.valueOf(new String(streams.getMessage(STREAM, k).getData(), StandardCharsets.UTF_8)));
            }
        }
        return found;
    }
}
