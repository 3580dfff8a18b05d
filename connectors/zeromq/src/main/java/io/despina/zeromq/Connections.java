package io.despina.zeromq;

import java.util.concurrent.TimeUnit;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;

/**
 * What has become of a socket's connections. JeroMQ tells when one is made and when it ends, and not why: a peer that does not
 * let this one in, or is a socket of another kind, ends each as soon as it is made. Of the socket's thread.
 */
final class Connections {
    private static final String WHERE = "inproc://despina.connections";
    private static final int REFUSED = 2;
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ZMQ.Socket socket;
    private final ZMQ.Socket told;
    private int open;
    private long made;
    /** So many in a row ended at once. */
    private int ended;

    Connections(ZContext context, ZMQ.Socket socket) {
        this.socket = socket;
        socket.monitor(WHERE, ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED);
        told = context.createSocket(SocketType.PAIR);
        told.connect(WHERE);
    }

    /** Reads what has happened since the last call. */
    void look() {
        for (ZEvent event = ZEvent.recv(told, ZMQ.DONTWAIT); event != null; event = ZEvent.recv(told, ZMQ.DONTWAIT)) {
            long now = System.nanoTime();
            switch (event.getEvent()) {
                case CONNECTED -> {
                    open++;
                    made = now;
                }
                case DISCONNECTED -> {
                    open--;
                    ended = now - made < SOON_NANOS ? ended + 1 : 0;
                }
                default -> {
                    // nothing else was asked for
                }
            }
        }
    }

    /** A message has gone through. */
    void moved() {
        ended = 0;
    }

    /** Whether one is there that is old enough to be believed. */
    boolean isThere() {
        return open > 0 && System.nanoTime() - made >= SOON_NANOS;
    }

    boolean isRefused() {
        return ended >= REFUSED;
    }

    void close() {
        socket.monitor(null, 0);
        told.close();
    }
}
