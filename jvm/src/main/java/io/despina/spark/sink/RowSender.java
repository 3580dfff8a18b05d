package io.despina.spark.sink;

import io.despina.control.staging.StageClient;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Sends rows as they come: a row alone goes at once, and while a request is on its way the next ones gather. One thread adds,
 * this one sends.
 */
final class RowSender extends Thread {
    private final StageClient client;
    /** Rows in the piece that is sent; the sender's own. */
    private int sent;

    // all below: guarded by this
    private final Pieces pieces;
    private boolean full;
    private boolean waiting;
    private boolean ended;
    private IOException failure;

    RowSender(StageClient client, Pieces pieces) {
        super("despina-rows");
        setDaemon(true);
        this.client = client;
        this.pieces = pieces;
    }

    /** Waits while a whole piece is not on its way yet. */
    synchronized void add(InternalRow row) throws IOException {
        await(false);
        full = pieces.add(row);
        waiting = true;
        notifyAll();
    }

    /** Until the piece is on its way, or all are there. */
    private void await(boolean all) throws IOException {
        try {
            while (failure == null && (full || all && isAlive())) {
                wait();
            }
        } catch (InterruptedException e) {
            throw (InterruptedIOException) new InterruptedIOException("the task was cancelled").initCause(e);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** @param all whether what was added is to arrive; else it ends at once */
    synchronized void end(boolean all) throws IOException {
        ended = true;
        if (!all) {
            interrupt();
            return;
        }
        notifyAll();
        await(true);
    }

    @Override
    public void run() {
        try {
            for (byte[] piece = next(); piece != null; piece = next()) {
                client.append(piece, sent);
            }
        } catch (IOException e) {
            fail(new IOException(e.getMessage()));
        } catch (InterruptedException e) {
            fail(new IOException("the task was cancelled", e));
        }
    }

    private synchronized void fail(IOException why) {
        failure = why;
        notifyAll();
    }

    /** What has gathered; null at the end. */
    private synchronized byte[] next() throws InterruptedException {
        while (!waiting && !ended) {
            wait();
        }
        if (!waiting) {
            return null;
        }
        boolean more = full && pieces.isOpen();
        if (!full) {
            pieces.cut();
        }
        full = false;
        waiting = more;
        sent = pieces.rows();
        notifyAll();
        return pieces.take();
    }
}
