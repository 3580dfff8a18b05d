package io.despina.wire.handshake;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The connections whose peers have not yet proved that they know the secret. There are never more than {@link #MOST}: the oldest
 * is closed for the next one, so that nobody who knows no secret takes this process's file descriptors. Thread-safe.
 */
public final class Strangers {
    static final int MOST = 256;
    static final int MOST_TOLD = 100;

    private final Consumer<String> events;
    /** Guarded by this; the oldest first. */
    private final Set<Channel> inside = new LinkedHashSet<>();
    /** Guarded by this. */
    private final Set<String> told = new HashSet<>();

    /** @param events takes a line for each kind of failure of each peer */
    public Strangers(Consumer<String> events) {
        this.events = events;
    }

    void enter(Channel channel) {
        Channel oldest = null;
        synchronized (this) {
            inside.add(channel);
            if (inside.size() > MOST) {
                oldest = inside.iterator().next();
                inside.remove(oldest);
            }
        }
        if (oldest != null) {
            oldest.close();
        }
    }

    /** Proved or gone; null if it never came. */
    synchronized void leave(Channel channel) {
        inside.remove(channel);
    }

    /** Tells it once for each address: a peer may try again and again, from another port each time. */
    void failed(SocketAddress peer, String reason) {
        String host = peer instanceof InetSocketAddress at ? at.getAddress().getHostAddress() : "an unknown address";
        String event = "a connection from " + host + " failed: " + reason;
        boolean isNew;
        synchronized (this) {
            isNew = told.size() < MOST_TOLD && told.add(event);
        }
        if (isNew) {
            events.accept(event);
        }
    }
}
