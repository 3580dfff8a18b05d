package io.despina.zeromq;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.DeliveringReader;
import io.despina.connect.DeliveryHost;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;

/** Takes messages of ZeroMQ's sockets, and sends them. */
public final class ZeroMqConnector implements Connector {

    @Override
    public AcknowledgingReader reader(ConnectorSettings settings, DeliveryHost host) {
        MessageThread thread = new MessageThread(settings, host);
        return new DeliveringReader(thread, thread::listen, new FramedMessage()::read);
    }

    @Override
    public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        return new MessageWriter(settings, host);
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return new ZeroMqProbe(settings, millis).run();
    }
}
