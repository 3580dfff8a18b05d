package io.despina.runtime.deployment;

import io.despina.link.LinkSpec;
import io.despina.packet.Schema;
import java.util.List;

/**
 * A linked output port of one of a task's stages.
 *
 * @param stage index in the task's stages
 * @param port  index among the stage's output ports
 * @param links at least one; each gets every packet
 */
public record PortSpec(int stage, int port, Schema schema, List<LinkSpec> links) {

    public PortSpec {
        links = List.copyOf(links);
        if (links.isEmpty()) {
            throw new IllegalArgumentException("output port " + port + " is linked to nothing: leave it out");
        }
    }
}
