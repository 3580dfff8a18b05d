package io.despina.wire.handshake;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The connections whose peers have not yet proved that they know the secret. There are at most {@link #MOST}: the oldest is
 * closed for the next one, so that peers without the secret cannot use up this process's file descriptors. Thread-safe.
 */
public final class UnauthenticatedPeers {
    static final int MOST = 256;
    static final int MOST_REPORTED = 100;

    private final Consumer<String> events;
    /** Guarded by this; the oldest first. */
    private final Set<Channel> connections = new LinkedHashSet<>();
    /** Guarded by this. */
    private final Set<String> reported = new HashSet<>();

    /** @param events takes a line for each kind of failure of each peer */
    public UnauthenticatedPeers(Consumer<String> events) {
        this.events = events;
    }

    void add(Channel channel) {
        Channel oldest = null;
        synchronized (this) {
            connections.add(channel);
            if (connections.size() > MOST) {
                oldest = connections.iterator().next();
                connections.remove(oldest);
            }
        }
        if (oldest != null) {
            oldest.close();
        }
    }

    /** The peer has proved that it knows the secret, or has gone. @param channel null if it was never added */
    synchronized void remove(Channel channel) {
        connections.remove(channel);
    }

    /** Reports a failure once for each address: a peer may try again and again, from another port each time. */
    void failed(SocketAddress peer, String reason) {
        String host = peer instanceof InetSocketAddress at ? at.getAddress().getHostAddress() : "an unknown address";
        String event = "a connection from " + host + " failed: " + reason;
        boolean isNew;
        synchronized (this) {
            isNew = reported.size() < MOST_REPORTED && reported.add(event);
        }
        if (isNew) {
            events.accept(event);
        }
    }
}
