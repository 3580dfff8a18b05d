package io.despina.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows that a writer has taken and the server does not have for sure: at most so many bytes. The sink's thread adds and waits, a
 * thread of the writer's sends and takes away. A monitor.
 */
final class Outflow {
    private final long mostBytes;
    private final List<Added> waiting = new ArrayList<>();
    private long bytes;
    private boolean ended;
    private Exception failure;

    Outflow(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Adds a row behind the others; waits until there is room. */
    synchronized void add(Added row) throws Exception {
        long size = row.bytes();
        while (failure == null && bytes > 0 && bytes + size > mostBytes) {
            wait();
        }
        check();
        bytes += size;
        waiting.add(row);
        if (waiting.size() == 1) {
            notifyAll();
        }
    }

    /** Waits until the server has all. */
    synchronized void awaitEmpty() throws Exception {
        while (failure == null && bytes > 0) {
            wait();
        }
        check();
    }

    private void check() throws Exception {
        if (failure != null) {
            throw failure;
        }
    }

    /** Some rows in their order, of the thread that sends; waits for the first. Null when there will be no more. */
    synchronized List<Added> take() throws InterruptedException {
        while (waiting.isEmpty() && !ended) {
            wait();
        }
        if (ended) {
            return null;
        }
        int count = 0;
        for (long arguments = 0; count < Math.min(Adding.ROWS, waiting.size()) && arguments < Adding.ARGUMENTS; count++) {
            arguments += waiting.get(count).arguments().length;
        }
        List<Added> some = waiting.subList(0, count);
        List<Added> rows = new ArrayList<>(some);
        some.clear();
        return rows;
    }

    /** The server has rows that were taken, or never will: so many bytes. */
    synchronized void done(long taken) {
        bytes -= taken;
        notifyAll();
    }

    synchronized void fail(Exception why) {
        failure = why;
        notifyAll();
    }

    synchronized void end() {
        ended = true;
        notifyAll();
    }
}
