package io.despina.spool;

import io.despina.log.Log;
import io.despina.log.LogOptions;
import io.despina.log.LogOwner;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.log.LogReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Up to which row a spool is cut, in a small log beside that of its rows: whatever is lost, a reader without a place of its own
 * does not get again what it had. One thread at a time.
 */
final class CutRows implements Closeable {
    private static final long MOST_BYTES = 1 << 20;
    /** Records after which those before may go. */
    private static final int STEP = 1000;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Log log;
    private final ByteBuffer record = ByteBuffer.allocate(Long.BYTES);
    private long row;
    private int records;

    /** Blocks for the disk. @param anew whether the rows are others than before */
    CutRows(LogPlace place, boolean anew, LogOwner owner) throws IOException {
        log = Log.open(place, LogOptions.of(MOST_BYTES), anew ? new LogRange(0, 0) : LogRange.ALL, owner);
        try (LogReader reader = log.reader(log.first())) {
            while (reader.next()) {
                row = Math.max(row, ByteBuffer.wrap(reader.bytes()).getLong(reader.from()));
            }
        }
    }

    /** Rows before it are cut. */
    long row() {
        return row;
    }

    /** The next attempt knows it too, soon. What finds no room comes with a later cut. */
    void cut(long before) throws IOException {
        row = before;
        log.append(record.putLong(0, before), NOTHING, 1);
        if (++records % STEP == 0) {
            log.turn();
            log.cut(log.durable() - 1);
        }
    }

    /** Completes when all so far are known for ever. */
    CompletableFuture<Void> force() {
        return log.force();
    }

    @Override
    public void close() {
        log.close();
    }
}
