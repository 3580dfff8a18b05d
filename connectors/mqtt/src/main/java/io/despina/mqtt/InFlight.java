package io.despina.mqtt;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a writer has given away and the broker does not have for sure: at most so many messages and bytes. The sink's thread adds
 * and waits, a connection's thread sends and takes away. A monitor.
 */
final class InFlight {
    private static final int IDS = 65_535;
    /** Of the objects around a payload. */
    private static final int OVERHEAD = 200;

    /** A message on its way. */
    record Sent(int id, String topic, byte[] payload, byte[][] pairs) {
        private long bytes() {
            return OVERHEAD + payload.length;
        }
    }

    private final long mostBytes;
    private final Map<Integer, Sent> all = new LinkedHashMap<>();
    /** Those that no connection has sent yet. */
    private final List<Sent> unsent = new ArrayList<>();
    private int most;
    private long bytes;
    private int last;
    private boolean isLinked;
    private boolean isScheduled;
    private Exception failure;
    /** When something was last taken away, or the connection was made; of {@link System#nanoTime}. */
    private long progress = System.nanoTime();

    InFlight(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** The broker takes no more than so many at once. */
    synchronized void limit(int messages) {
        most = Math.min(most, messages);
    }

    /**
     * Adds a message behind the others; waits until there is room.
     *
     * @return whether the connection's thread is to be told; null if there was no room for so long
     */
    synchronized Boolean add(String topic, byte[] payload, byte[][] pairs, long nanos) throws Exception {
        if (all.isEmpty()) {
            progress = System.nanoTime();
        }
        while (failure == null && !all.isEmpty() && (all.size() >= most || bytes + OVERHEAD + payload.length > mostBytes)) {
            if (!await(nanos)) {
                return null;
            }
        }
        check();
        do {
            last = last % IDS + 1;
        } while (all.containsKey(last));
        Sent sent = new Sent(last, topic, payload, pairs);
        all.put(last, sent);
        bytes += sent.bytes();
        unsent.add(sent);
        boolean tell = isLinked && !isScheduled;
        isScheduled |= tell;
        return tell;
    }

    /** Waits until nothing is on its way. @return false if nothing has moved for so long */
    synchronized boolean awaitEmpty(long nanos) throws Exception {
        while (failure == null && !all.isEmpty()) {
            if (!await(nanos)) {
                return false;
            }
        }
        check();
        return true;
    }

    private boolean await(long nanos) throws InterruptedException {
        long left = progress + nanos - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        wait(Math.max(1, left / 1_000_000));
        return true;
    }

    private void check() throws Exception {
        if (failure != null) {
            throw failure;
        }
    }

    synchronized void fail(Exception why) {
        if (failure == null) {
            failure = why;
        }
        notifyAll();
    }

    /** There is a connection: all are to be sent by it. */
    synchronized void linked() {
        isLinked = true;
        isScheduled = true;
        unsent.clear();
        unsent.addAll(all.values());
        progress = System.nanoTime();
    }

    synchronized void unlinked() {
        isLinked = false;
        isScheduled = false;
    }

    /** What is to be sent now. */
    synchronized List<Sent> takeUnsent() {
        List<Sent> taken = new ArrayList<>(unsent);
        unsent.clear();
        isScheduled = false;
        return taken;
    }

    /** Null if it is not on its way. */
    synchronized Sent get(int id) {
        return all.get(id);
    }

    /** The broker has it, or will never take it. */
    synchronized void done(int id) {
        Sent done = all.remove(id);
        if (done != null) {
            bytes -= done.bytes();
            progress = System.nanoTime();
            if (all.isEmpty() || all.size() == most / 2 || bytes <= mostBytes / 2) {
                notifyAll();
            }
        }
    }

    /** So are these. */
    synchronized void done(List<Sent> these) {
        these.forEach(each -> done(each.id));
    }
}
