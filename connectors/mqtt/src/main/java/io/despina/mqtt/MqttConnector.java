package io.despina.mqtt;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.DeliveryHost;
import io.despina.connect.Leftovers;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;

/** Reads and writes topics of MQTT brokers. */
public final class MqttConnector implements Connector {

    @Override
    public AcknowledgingReader reader(ConnectorSettings settings, DeliveryHost host) {
        return new MqttReader(settings, host);
    }

    @Override
    public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        return new MqttWriter(settings, host);
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        return new MqttProbe(settings, use).run(millis);
    }

    @Override
    public String leftovers(ConnectorSettings settings, Leftovers of) throws Exception {
        return settings.has("topics") ? new MqttSessions(settings, of).run() : null;       // a sink has no session that stays
    }
}
