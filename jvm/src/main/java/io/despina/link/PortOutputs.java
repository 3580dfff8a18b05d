package io.despina.link;

import io.despina.packet.PacketLayout;
import java.util.List;

/** Makes the output port that fits its links; the hot classes know nothing of each other. */
public final class PortOutputs {

    private PortOutputs() {
    }

    /** @param links none: what is written is counted and dropped; several: each gets every packet */
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
