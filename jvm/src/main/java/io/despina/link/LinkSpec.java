package io.despina.link;

import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.Partition;
import java.util.List;

/**
 * One task's end of a link: what its output port needs to send along it.
 *
 * @param name     {@code from->to} as the graph writes it, ports included; names the link's counters
 * @param channels to the receiving tasks, in the order of their instances; with {@link Partition.Forward} exactly one
 */
public record LinkSpec(String name, Partition partition, BufferSpec buffer, CompressionSpec compression,
                       List<ChannelSpec> channels) {

    public LinkSpec {
        channels = List.copyOf(channels);
        if (channels.isEmpty()) {
            throw new IllegalArgumentException("link " + name + " has no channel");
        }
    }
}
