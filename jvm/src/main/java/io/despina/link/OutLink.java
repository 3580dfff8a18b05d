package io.despina.link;

import io.despina.metrics.LinkCounters;
import java.util.List;

/**
 * One link of an output port, with the sending ends of its channels.
 *
 * @param senders in the order of {@code spec.channels()}
 */
public record OutLink(LinkSpec spec, List<? extends ChannelSender> senders, LinkCounters counters) {

    public OutLink {
        senders = List.copyOf(senders);
        if (senders.size() != spec.channels().size()) {
            throw new IllegalArgumentException("link " + spec.name() + " has " + spec.channels().size() + " channels and "
                    + senders.size() + " senders");
        }
    }
}
