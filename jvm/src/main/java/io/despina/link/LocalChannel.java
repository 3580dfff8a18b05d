package io.despina.link;

import java.util.function.LongSupplier;

/** A channel within one resource: segments are handed over, not copied. */
public record LocalChannel(ChannelSender sender, ChannelReceiver receiver) {

    /** @param clock nanoseconds */
    public static LocalChannel create(ChannelOptions options, LongSupplier clock) {
        Inbox inbox = new Inbox(options.bounds(), options.queueTargetNanos(), clock);
        return new LocalChannel(new InboxSender(inbox), inbox);
    }
}
