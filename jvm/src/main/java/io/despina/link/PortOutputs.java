package io.despina.link;

import io.despina.packet.PacketLayout;
import java.util.List;

/** Creates the output port that fits a number of links. */
public final class PortOutputs {

    private PortOutputs() {
    }

    /** @param links each gets every packet; without any, packets are counted and dropped */
    public static PortOutput create(PacketLayout layout, List<OutLink> links, PortSettings settings) {
        if (links.isEmpty()) {
            return new UnlinkedOutput(layout, settings.maxPacketBytes());
        }
        if (links.size() == 1 && links.get(0).senders().size() == 1) {
            return new DirectOutput(layout, links.get(0), settings);
        }
        return new RoutedOutput(layout, links, settings);
    }
}
