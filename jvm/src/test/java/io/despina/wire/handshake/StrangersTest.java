package io.despina.wire.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrangersTest {
    private final List<String> events = new ArrayList<>();
    private final Strangers strangers = new Strangers(events::add);

    private EmbeddedChannel enter() {
        EmbeddedChannel channel = new EmbeddedChannel();
        strangers.enter(channel);
        return channel;
    }

    @Test
    void theOldestMakesRoomForTheNext() {
        EmbeddedChannel first = enter();
        List<EmbeddedChannel> others = new ArrayList<>();
        while (others.size() < Strangers.MOST - 1) {
            others.add(enter());
        }
        assertTrue(first.isOpen());
        others.add(enter());
        assertFalse(first.isOpen());
        assertEquals(Strangers.MOST, others.stream().filter(EmbeddedChannel::isOpen).count());
    }

    @Test
    void whoeverHasProvedItselfStays() {
        EmbeddedChannel known = enter();
        strangers.leave(known);
        for (int k = 0; k <= Strangers.MOST; k++) {
            enter();
        }
        assertTrue(known.isOpen());
    }

    @Test
    void aPeerThatTriesAgainFromAnotherPortIsToldOnce() {
        for (int port = 4000; port < 4010; port++) {
            strangers.failed(new InetSocketAddress("127.0.0.1", port), "its certificate.pem has expired");
        }
        strangers.failed(new InetSocketAddress("127.0.0.1", 4000), "it refused the certificate.pem of this side");
        strangers.failed(new InetSocketAddress("127.0.0.2", 4000), "its certificate.pem has expired");
        assertEquals(List.of("a connection from 127.0.0.1 failed: its certificate.pem has expired",
                "a connection from 127.0.0.1 failed: it refused the certificate.pem of this side",
                "a connection from 127.0.0.2 failed: its certificate.pem has expired"), events);
    }

    @Test
    void notMoreIsToldThanSomebodyReads() {
        for (int k = 0; k < 2 * Strangers.MOST_TOLD; k++) {
            strangers.failed(new InetSocketAddress("127.0.0.1", 4000), "reason " + k);
        }
        assertEquals(Strangers.MOST_TOLD, events.size());
    }
}
