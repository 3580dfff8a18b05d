package io.despina.runtime.host;

import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.link.ChannelSpec;
import io.despina.metrics.LinkCounters;
import io.despina.wire.FailureListener;
import io.despina.wire.IoLoop;
import io.despina.wire.Wire;

/** How the ends of remote channels are come by: over {@link Wire}, or simulated. */
public interface Network {

    /** One end of a channel: whom to tell when it breaks, and what serves it, best its task's thread; null for another. */
    record End(FailureListener failure, IoLoop loop) {
    }

    /** The receiving end; its sender may connect from now on. */
    ChannelReceiver receiver(ChannelId id, ChannelOptions options, End end);

    /** The sending end of {@code channel}, whose spec names the receiving resource. */
    ChannelSender sender(ChannelId id, ChannelSpec channel, ChannelOptions options, LinkCounters.WireCounters counters,
                         End end);

    /** @param done run once, from any thread, when every channel of the job that begins here has come to its end */
    void whenSent(Attempt attempt, Runnable done);

    /** Ends all channels of a job and drops what is still to be sent. */
    void release(Attempt attempt);

    /** The real one. */
    static Network of(Wire wire) {
        return new Network() {
            @Override
            public ChannelReceiver receiver(ChannelId id, ChannelOptions options, End end) {
                return wire.receiver(id, options, end.failure(), end.loop());
            }

            @Override
            public ChannelSender sender(ChannelId id, ChannelSpec channel, ChannelOptions options,
                                        LinkCounters.WireCounters counters, End end) {
                return wire.sender(id, new Wire.To(channel.host(), channel.port(), end.loop()), options, counters, end.failure());
            }

            @Override
            public void whenSent(Attempt attempt, Runnable done) {
                wire.whenSent(attempt, done);
            }

            @Override
            public void release(Attempt attempt) {
                wire.release(attempt);
            }
        };
    }
}
