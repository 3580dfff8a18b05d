package io.despina.nats;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;

/** Reads streams of NATS JetStream. */
public final class NatsConnector implements Connector {

    @Override
    public PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        return new StreamReader(settings, host);
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return new NatsProbe(settings, millis).run(use);
    }
}
