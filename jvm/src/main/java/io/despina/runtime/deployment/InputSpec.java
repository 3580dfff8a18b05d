package io.despina.runtime.deployment;

import io.despina.link.ChannelSpec;
import java.util.List;

/**
 * The channels, of all its links, that end in one input port of a task's first stage.
 *
 * @param counts whether their watermarks, and their idleness, count for what the task sends
 */
public record InputSpec(int port, List<ChannelSpec> channels, boolean counts) {

    /** One whose watermarks count. */
    public InputSpec(int port, List<ChannelSpec> channels) {
        this(port, channels, true);
    }

    public InputSpec {
        channels = List.copyOf(channels);
        if (channels.isEmpty()) {
            throw new IllegalArgumentException("input port " + port + " has no channel");
        }
    }
}
