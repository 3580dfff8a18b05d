package io.despina.nats;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.ChosenWriter;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.DeliveringReader;
import io.despina.connect.DeliveryHost;
import io.despina.connect.Leftovers;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.RecordWriter;
import io.despina.connect.StartPatience;
import io.despina.connect.WriterHost;

/** Reads and writes streams of NATS JetStream, and plain subjects. */
public final class NatsConnector implements Connector {

    @Override
    public PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        return new StreamReader(settings, host);
    }

    @Override
    public AcknowledgingReader reader(ConnectorSettings settings, DeliveryHost host) {
        SubjectThread thread = new SubjectThread(settings, host);
        return new DeliveringReader(thread, () -> new StartPatience(settings).await(() -> {
            thread.listen();
            return thread;
        }), new SubjectMessage()::read);
    }

    @Override
    public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        String client = host.operator() + "." + host.instance();
        return new ChosenWriter(later -> !settings.has("stream") ? new SubjectWriter(settings, host, client)
                : later ? new EpochWriter(settings, host, client) : new PlainWriter(settings, host, client));
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return new NatsProbe(settings, millis).run(use);
    }

    @Override
    public String leftovers(ConnectorSettings settings, Leftovers of) throws Exception {
        return settings.has("markers") ? new NatsOutboxes(settings, of).run() : null;
    }
}
