package io.despina.kafka;

import io.despina.connect.ChosenWriter;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Leftovers;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;

/** Reads and writes topics of Apache Kafka. */
public final class KafkaConnector implements Connector {

    @Override
    public PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        return new KafkaReader(settings, host);
    }

    @Override
    public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        return new ChosenWriter(later -> {
            String client = ClientProperties.name(host.operator(), host.instance());
            Producers producers = new Producers(settings, client);
            return later ? new EpochWriter(settings, host, producers, new Markers(settings, client))
                    : new PlainWriter(settings, host, producers);
        });
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return new KafkaProbe(settings, millis).run(use);
    }

    @Override
    public String leftovers(ConnectorSettings settings, Leftovers of) throws Exception {
        return settings.has("markers") ? new KafkaOutboxes(settings, of).run() : null;     // a source only has its `group`
    }
}
