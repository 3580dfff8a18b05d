package io.despina.connect;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A reader whose work a {@link ReadingThread} does: it gives the host all that comes. */
public final class DeliveringReader implements AcknowledgingReader {
    private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(5);

    /** Connects for the first time, before the thread is started. Blocks. */
    public interface Connecting {
        void listen() throws IOException, InterruptedException;
    }

    /** What is in a record, see {@link AcknowledgingReader#content}. */
    public interface View {
        RecordContent read(byte[] bytes, int length) throws IOException;
    }

    private final ReadingThread thread;
    private final Connecting connecting;
    private final View view;

    public DeliveringReader(ReadingThread thread, Connecting connecting, View view) {
        this.thread = thread;
        this.connecting = connecting;
        this.view = view;
    }

    @Override
    public void open() throws Exception {
        connecting.listen();
        thread.start();
    }

    @Override
    public void goOn(Map<String, String> digests) {
        thread.goOn(digests);
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
