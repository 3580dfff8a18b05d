package io.despina.connect;

import java.io.IOException;

/** A writer for sinks that write in another way behind an outbox than at once: which way, {@link #open} tells. */
public final class ChosenWriter implements RecordWriter {
    private final Choice choice;
    /** Null before {@link #open}. */
    private RecordWriter writer;

    /** Makes the writer. */
    public interface Choice {
        /** @param later see {@link RecordWriter#open} */
        RecordWriter writer(boolean later) throws Exception;
    }

    public ChosenWriter(Choice choice) {
        this.choice = choice;
    }

    @Override
    public void open(boolean later) throws Exception {
        writer = choice.writer(later);
        writer.open(later);
    }

    @Override
    public void begin(String outbox, long epoch) throws Exception {
        writer.begin(outbox, epoch);
    }

    @Override
    public void write(Outgoing record) throws Exception {
        writer.write(record);
    }

    @Override
    public void flush() throws Exception {
        writer.flush();
    }

    @Override
    public Marker marker(String outbox, long epoch) throws Exception {
        return writer.marker(outbox, epoch);
    }

    @Override
    public void cut() {
        if (writer != null) {
            writer.cut();
        }
    }

    @Override
    public void close() throws IOException {
        if (writer != null) {
            writer.close();
        }
    }
}
