package io.despina.operator.outbox;

import io.despina.log.Log;
import io.despina.log.LogOptions;
import io.despina.log.LogOwner;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.log.LogReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.CompletionException;

/**
 * Which epochs have left an outbox, in a small log beside it, and the name that the outbox has for ever: the first record.
 * {@link #sent} by one thread at a time.
 */
final class SentEpochs implements Closeable {
    private static final long MOST_BYTES = 1 << 20;
    /** Records in which the name is written again, so that the others can be cut. */
    private static final int REPEATED = 1000;

    private final Log log;
    private String name;
    private volatile long last;
    private int records;

    /** Blocks for the disk. */
    SentEpochs(LogPlace place, LogOwner owner) throws IOException {
        log = Log.open(place, LogOptions.of(MOST_BYTES), LogRange.ALL, owner);
        name = UUID.randomUUID().toString();
        long first = -1;
        LogReader reader = log.reader(log.first());
        try (reader) {
            while (reader.next()) {
                ByteBuffer record = ByteBuffer.wrap(reader.bytes(), reader.from(), reader.to() - reader.from());
                name = new UUID(record.getLong(), record.getLong()).toString();
                last = Math.max(last, record.getLong());
                first = reader.number();
            }
        }
        if (first < 0) {
            append();
            force();
        }
    }

    private void append() throws IOException {
        UUID id = UUID.fromString(name);
        ByteBuffer record = ByteBuffer.allocate(3 * Long.BYTES).putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits()).putLong(last).flip();
        log.append(record, ByteBuffer.allocate(0), 1);
        records++;
        if (records % REPEATED == 0) {
            log.turn();
            log.cut(log.durable());
        }
    }

    /** The name of the outbox: no other has it, and each attempt of the job finds it again. */
    String name() {
        return name;
    }

    /** The last epoch that has left; 0 if none has. */
    long last() {
        return last;
    }

    /** All rows of that epoch have left: blocks until that is known for ever. */
    void sent(long epoch) throws IOException {
        last = epoch;
        append();
        force();
    }

    private void force() throws IOException {
        try {
            log.force().join();
        } catch (CompletionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        }
    }

    @Override
    public void close() {
        log.close();
    }
}
