package io.despina.wire;

import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.metrics.LinkCounters.WireCounters;

/** Creates the ends of remote channels: over sockets ({@link Wire}), or simulated. */
public interface Network {

    /**
     * Where a channel leads.
     *
     * @param port of the receiving resource
     * @param loop serves the connection here, best that of the sending task's thread; null for one of the network's own threads
     */
    record To(String host, int port, IoLoop loop) {
    }

    /**
     * Creates the receiving end of a channel; its sender may connect from now on.
     *
     * @param loop serves its connection, best that of its task's thread; null for one of the network's own threads
     * @throws IllegalStateException if the channel is here already
     */
    ChannelReceiver receiver(ChannelId id, ChannelOptions options, FailureListener failure, IoLoop loop);

    /**
     * Creates the sending end of a channel. It connects to the receiving resource's port, again and again for 10 s while no
     * resource answers or the channel is not known there: a machine that starts many processes at once may be late.
     *
     * @throws IllegalStateException if the channel is here already
     */
    ChannelSender sender(ChannelId id, To to, ChannelOptions options, WireCounters counters, FailureListener failure);

    /** @param done run once, from any thread, when every channel of the attempt that begins here has ended */
    void whenSent(Attempt attempt, Runnable done);

    /**
     * Ends an attempt's channels, delivered or not, without calling their listeners. Segments that are queued for tasks stay
     * theirs.
     */
    void release(Attempt attempt);
}
