package io.despina.opcua;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.DeliveringReader;
import io.despina.connect.DeliveryHost;
import io.despina.connect.RefusedException;
import java.util.List;

/** Reads nodes of an OPC UA server. */
public final class OpcUaConnector implements Connector {

    @Override
    public AcknowledgingReader reader(ConnectorSettings settings, DeliveryHost host) {
        ReadThread thread = new ReadThread(settings, host);
        return new DeliveringReader(thread, thread::listen, new Reading()::read);
    }

    /** Makes a session for a moment, and no subscription. */
    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        try (Link link = Link.open(settings, "despina-check", null, Math.min(millis, settings.whole("connect_ms")))) {
            Nodes.Found found = Nodes.find(settings, link);
            if (!found.missing().isEmpty()) {
                throw new RefusedException("not all `nodes` are at " + settings.text("server") + ": "
                        + Words.nodes(found.missing()), null);
            }
            String words = found.items().size() + " nodes at " + settings.text("server");
            List<Item> lacking = settings.flag("history")
                    ? new HistoryService(link).lacking(settings.text("server"), found.items()) : List.of();
            return lacking.isEmpty() ? words : words + ", without a history that may be read: "
                    + Words.nodes(lacking.stream().map(Item::text).toList());
        }
    }
}
