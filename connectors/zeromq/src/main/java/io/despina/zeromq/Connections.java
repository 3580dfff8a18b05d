package io.despina.zeromq;

import java.util.concurrent.TimeUnit;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;

/**
 * What has become of a socket's connections. JeroMQ tells when one is made and when it ends, and not why: a peer that does not
 * let this one in, or is a socket of another kind, ends each as soon as it is made. JeroMQ's thread for the network writes it
 * down at once: events that waited in a queue would hold that thread up, and the socket's end too, where nobody reads them.
 */
final class Connections {
    /** Longer than a handshake may take. */
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** The first try is behind one that has ended; where the next fails too, nobody is there. */
    private static final int GONE = 3;

    private final ZMQ.Socket socket;
    private volatile int open;
    private volatile long made;
    /** To make one, since there was one; of the network's thread. */
    private int tries;
    /** Whether the last one ended at once, and its peer has not gone since. */
    private volatile boolean ended;

    Connections(ZMQ.Socket socket) {
        this.socket = socket;
        socket.setEventHook(this::happened, ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED
                | ZMQ.EVENT_CONNECT_RETRIED);
    }

    /** Of one thread. */
    private void happened(ZEvent event) {
        long now = System.nanoTime();
        switch (event.getEvent()) {
            case CONNECTED -> {
                made = now;
                open = open + 1;
                tries = 0;
            }
            case DISCONNECTED -> {
                open = open - 1;
                ended = now - made < SOON_NANOS;
            }
            default -> {
                tries++;
                ended &= tries < GONE;
            }
        }
    }

    /** Whether one is there that is old enough to be believed. */
    boolean isThere() {
        return open > 0 && System.nanoTime() - made >= SOON_NANOS;
    }

    /** Whether none is there, and the last one ended at once. JeroMQ makes no other where the peer wants keys and gets none. */
    boolean isRefused() {
        return open <= 0 && ended;
    }

    /** The same, also while another is tried: whether no other has lasted since. */
    boolean endAtOnce() {
        return ended && !isThere();
    }

    void close() {
        socket.setEventHook(null, 0);
    }
}
