package io.despina.redis;

import io.despina.connect.ChosenWriter;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Leftovers;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;

/** Reads and writes streams of Redis. */
public final class RedisConnector implements Connector {

    @Override
    public PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        return new RedisReader(settings, host);
    }

    @Override
    public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        String client = host.operator() + "." + host.instance();
        return new ChosenWriter(later -> later ? new EpochWriter(settings, host, client)
                : new PlainWriter(settings, host, client));
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return new RedisProbe(settings, millis).run(use);
    }

    @Override
    public String leftovers(ConnectorSettings settings, Leftovers of) throws Exception {
        return settings.has("markers") ? new RedisOutboxes(settings, of).run() : null;
    }
}
