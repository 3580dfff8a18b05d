package io.despina.wire;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections whose peers have not yet proved that they know the secret. There are never more than {@link #MOST}: the oldest
 * is closed for the next one, so that nobody who knows no secret takes this process's file descriptors. Thread-safe.
 */
final class Strangers {
    static final int MOST = 256;

    /** Guarded by this; the oldest first. */
    private final Set<Channel> inside = new LinkedHashSet<>();

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
}
