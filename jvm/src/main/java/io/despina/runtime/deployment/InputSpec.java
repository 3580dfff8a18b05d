package io.despina.runtime.deployment;

import io.despina.link.ChannelSpec;
import java.util.List;

/** The channels, of all its links, that end in one input port of a task's first stage. */
public record InputSpec(int port, List<ChannelSpec> channels) {

    public InputSpec {
        channels = List.copyOf(channels);
        if (channels.isEmpty()) {
            throw new IllegalArgumentException("input port " + port + " has no channel");
        }
    }
}
