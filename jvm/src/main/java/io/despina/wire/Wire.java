package io.despina.wire;

import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.metrics.LinkCounters;
import java.io.IOException;
import java.util.function.Function;

/**
 * A resource's end of the network: one listening port for data channels (one TCP connection for each remote channel) and
 * control connections, and the IO threads that serve them. Nothing is accepted before both sides have proved that they know
 * the job secret.
 */
public final class Wire implements AutoCloseable {

    /** @throws IOException if the port is in use, or the host is none of this machine's */
    public static Wire open(WireOptions options) throws IOException {
        throw new IOException("not yet");
    }

    /** The port it listens on. */
    public int port() {
        return 0;
    }

    /**
     * Connects to another resource's port, and waits until both sides have proved that they know the secret.
     *
     * @throws IOException if nobody listens there, or the secret is another; the message says which
     */
    public ControlConnection control(String host, int port, ControlHandler handler) throws IOException {
        throw new IOException("not yet");
    }

    /** @param accept gives the handler for each control connection that comes in; until set, they are refused */
    public void onControl(Function<ControlConnection, ControlHandler> accept) {
    }

    /** The receiving end of a channel; its sender may connect from now on. */
    public ChannelReceiver receiver(ChannelId id, ChannelOptions options, FailureListener failure) {
        return null;
    }

    /** The sending end of a channel, connecting to the receiving resource's port; retries while the channel is not known there. */
    public ChannelSender sender(ChannelId id, String host, int port, ChannelOptions options, LinkCounters.WireCounters counters,
                                FailureListener failure) {
        return null;
    }

    /** Ends all channels of a job, without telling their listeners. What is queued for tasks stays theirs. */
    public void release(String job) {
    }

    /** Ends everything and waits for the IO threads. */
    @Override
    public void close() {
    }
}
