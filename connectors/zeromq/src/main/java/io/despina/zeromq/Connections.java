package io.despina.zeromq;

import java.util.concurrent.TimeUnit;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;
import org.zeromq.ZMonitor;

/**
 * What has become of a socket's connections. JeroMQ tells when one is made and when it ends, and not why: a peer that does not
 * let this one in, or is a socket of another kind, ends each as soon as it is made. JeroMQ's thread for the network writes it
 * down at once: events that waited in a queue would hold that thread up, and the socket's end too, where nobody reads them.
 */
final class Connections {
    private static final int REFUSED = 2;
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ZMQ.Socket socket;
    private volatile int open;
    private volatile long made;
    /** So many in a row ended at once. */
    private volatile int ended;

    Connections(ZMQ.Socket socket) {
        this.socket = socket;
        socket.setEventHook(this::happened, ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED);
    }

    /** Of one thread. */
    private void happened(ZEvent event) {
        long now = System.nanoTime();
        if (event.getEvent() == ZMonitor.Event.CONNECTED) {
            made = now;
            open = open + 1;
        } else {
            open = open - 1;
            ended = now - made < SOON_NANOS ? ended + 1 : 0;
        }
    }

    /** A message has gone through. */
    void moved() {
        if (ended > 0) {
            ended = 0;
        }
    }

    /** Whether one is there that is old enough to be believed. */
    boolean isThere() {
        return open > 0 && System.nanoTime() - made >= SOON_NANOS;
    }

    boolean isRefused() {
        return ended >= REFUSED;
    }

    void close() {
        socket.setEventHook(null, 0);
    }
}
