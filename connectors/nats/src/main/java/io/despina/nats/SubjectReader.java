package io.despina.nats;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.DeliveryHost;
import io.despina.connect.RecordContent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Listens to a subject. Servers keep nothing for it. */
final class SubjectReader implements AcknowledgingReader {
    private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(3);

    private final SubjectThread thread;
    private final SubjectMessage view = new SubjectMessage();

    SubjectReader(ConnectorSettings settings, DeliveryHost host) {
        thread = new SubjectThread(settings, host);
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
