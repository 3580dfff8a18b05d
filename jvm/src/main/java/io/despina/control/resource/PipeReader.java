package io.despina.control.resource;

import io.despina.operator.source.file.Pipe;
import io.despina.wake.Waker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a pipe on a thread of its own, because reading blocks; it reads one block ahead of the source. */
final class PipeReader implements Pipe {
    private static final int BLOCK_BYTES = 1 << 16;

    private final InputStream in;
    private final Waker source;
    // guarded by this
    private byte[] block = new byte[BLOCK_BYTES];
    private int position;
    private int limit;
    private boolean ended;
    private boolean closed;
    private IOException failure;

    private PipeReader(InputStream in, Waker source) {
        this.in = in;
        this.source = source;
    }

    static Pipe open(Path path, Waker source) throws IOException {
        PipeReader reader = new PipeReader(Files.newInputStream(path), source);
        Thread thread = new Thread(reader::read, "despina-stdin");
        thread.setDaemon(true);
        thread.start();
        return reader;
    }

    private void read() {
        byte[] next = new byte[BLOCK_BYTES];
        try {
            for (int read = in.read(next); read >= 0; read = in.read(next)) {
                next = put(next, read);
                source.wake();
            }
            end(null);
        } catch (IOException e) {
            end(e);
        } catch (InterruptedException e) {
            end(null);
        }
        source.wake();
    }

    /** @return the block to fill next */
    private synchronized byte[] put(byte[] filled, int length) throws InterruptedException {
        while (position < limit && !closed) {
            wait();
        }
        byte[] empty = block;
        block = filled;
        position = 0;
        limit = length;
        return empty;
    }

    private synchronized void end(IOException why) {
        ended = true;
        failure = closed ? null : why;
    }

    @Override
    public synchronized int read(byte[] to, int from, int length) throws IOException {
        if (position == limit) {
            if (failure != null) {
                throw failure;
            }
            return -1;
        }
        int taken = Math.min(length, limit - position);
        System.arraycopy(block, position, to, from, taken);
        position += taken;
        notifyAll();
        return taken;
    }

    @Override
    public synchronized boolean hasEnded() {
        return ended && failure == null && position == limit;
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        in.close();
    }
}
