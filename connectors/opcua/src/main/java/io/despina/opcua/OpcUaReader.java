package io.despina.opcua;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.DeliveryHost;
import io.despina.connect.RecordContent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Reads values of nodes. A server keeps what it has sent until it is told that it has come, which is at once. */
final class OpcUaReader implements AcknowledgingReader {
    private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(5);

    private final ReadThread thread;
    private final Reading view = new Reading();

    OpcUaReader(ConnectorSettings settings, DeliveryHost host) {
        thread = new ReadThread(settings, host);
    }

    @Override
    public void open() throws Exception {
        thread.listen();
        thread.start();
    }

    @Override
    public void stop() {
        thread.end(false);
    }

    @Override
    public RecordContent content(byte[] bytes, int length) throws IOException {
        return view.read(bytes, length);
    }

    @Override
    public void close() {
        thread.close(CLOSE_MS);
    }
}
