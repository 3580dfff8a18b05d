package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.RowRange;
import io.despina.spool.KeptSpool;
import io.despina.spool.SpoolRecords;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends the rows of one instance of a collect sink to Python as they become visible, from where the coordinator says, and no
 * further ahead of Python than {@link #MOST_AHEAD}. What Python does not want again is cut. Whatever changes asks for a turn; one
 * thread at a time takes it, and none waits for rows.
 */
final class KeptOutput {
    /** The most bytes on their way to Python, and a message more. */
    static final long MOST_AHEAD = 8 << 20;
    private static final int MESSAGE_BYTES = 1 << 18;

    /** Rows before {@code end} are sent, of which the last are so many bytes. */
    private record Sent(long end, int bytes) {
    }

    private final KeptOutputs.To to;
    private final String sink;
    private final int instance;
    private final KeptSpool spool;
    /** Turns that were asked for and not taken. */
    private final AtomicInteger asked = new AtomicInteger();

    // of whose turn it is
    /** Null before the first row, and after the end. */
    private SpoolRecords records;
    /** The row that is sent next. */
    private long next;
    private boolean lastTold;

    // guarded by this
    /** What Python has; null before it is known. */
    private Message.Had had;
    private final Deque<Sent> ahead = new ArrayDeque<>();
    private long aheadBytes;
    private boolean closed;

    KeptOutput(KeptOutputs.To to, String sink, int instance) {
        this.to = to;
        this.sink = sink;
        this.instance = instance;
        spool = new KeptSpool("`" + sink + "` (instance " + instance + ")", to.mostBytes(), this::turn);
    }

    KeptSpool spool() {
        return spool;
    }

    /** May come before the sink is open, and later than one that was sent after it. */
    void had(Message.Had told) {
        synchronized (this) {
            had = had == null ? told : new Message.Had(told.attempt(), sink, instance, Math.max(had.row(), told.row()),
                    Math.max(had.done(), told.done()), had.leaves() || told.leaves());
            while (!ahead.isEmpty() && ahead.peek().end <= had.row()) {
                aheadBytes -= ahead.poll().bytes;
            }
        }
        turn();
    }

    /** No more is sent. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        turn();
    }

    private synchronized Message.Had had() {
        return had;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized boolean hasRoom() {
        return !closed && !had.leaves() && aheadBytes < MOST_AHEAD;
    }

    /** Asks for a turn. From any thread, under any lock. */
    private void turn() {
        if (asked.getAndIncrement() == 0) {
            try {
                to.threads().execute(this::run);
            } catch (RejectedExecutionException closing) {
                // the process ends
            }
        }
    }

    private void run() {
        int turns;
        do {
            turns = asked.get();
            try {
                move();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                close();
            } catch (IOException | RuntimeException failure) {
                if (!isClosed()) {
                    close();
                    to.failed().accept(failure);
                }
            }
        } while (asked.addAndGet(-turns) != 0);
    }

    private void move() throws IOException, InterruptedException {
        Message.Had now = had();
        if (!isClosed() && now != null && spool.isOpen()) {
            spool.passed(now.row());
            spool.cut(now.done());
        }
        if (now != null && now.leaves()) {
            spool.release();
        }
        if (isClosed() || now == null || now.leaves() || !spool.isOpen()) {
            closeRecords();
            return;
        }
        if (records == null) {
            next = Math.max(now.row(), spool.first());
            records = new SpoolRecords(spool.access(), spool.name(), next);
        }
        while (!lastTold && hasRoom() && send()) {
            // goes on
        }
    }

    private void closeRecords() throws IOException {
        if (records != null) {
            records.close();
            records = null;
        }
    }

    /** @return whether more may follow at once */
    private boolean send() throws IOException, InterruptedException {
        byte[] packets = new byte[0];
        int length = 0;
        int rows = 0;
        long first = next;
        boolean more = true;
        while (length < MESSAGE_BYTES && (more = records.next(0))) {
            int bytes = records.to() - records.from();
            if (length + bytes > packets.length) {
                packets = Arrays.copyOf(packets, Math.max(length + bytes, packets.length == 0 ? 0 : MESSAGE_BYTES));
            }
            System.arraycopy(records.bytes(), records.from(), packets, length, bytes);
            first = rows == 0 ? records.first() : first;
            length += bytes;
            rows += records.rows();
        }
        lastTold = !more && records.isAtEnd();
        if (rows == 0 && !lastTold) {
            return false;
        }
        RowRange place = new RowRange(instance, first, rows, lastTold);
        next = place.end();
        synchronized (this) {
            ahead.add(new Sent(next, length));
            aheadBytes += length;
        }
        to.coordinator().tellInTurn(new Message.Rows(to.attempt(), sink, Arrays.copyOf(packets, length), place));
        return more;
    }
}
