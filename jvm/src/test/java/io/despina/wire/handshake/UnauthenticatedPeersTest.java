package io.despina.wire.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnauthenticatedPeersTest {
    private final List<String> events = new ArrayList<>();
    private final UnauthenticatedPeers unauthenticated = new UnauthenticatedPeers(events::add);

    private EmbeddedChannel enter() {
        EmbeddedChannel channel = new EmbeddedChannel();
        unauthenticated.add(channel);
        return channel;
    }

    @Test
    void theOldestMakesRoomForTheNext() {
        EmbeddedChannel first = enter();
        List<EmbeddedChannel> others = new ArrayList<>();
        while (others.size() < UnauthenticatedPeers.MOST - 1) {
            others.add(enter());
        }
        assertTrue(first.isOpen());
        others.add(enter());
        assertFalse(first.isOpen());
        assertEquals(UnauthenticatedPeers.MOST, others.stream().filter(EmbeddedChannel::isOpen).count());
    }

    @Test
    void whoeverHasProvedItselfStays() {
        EmbeddedChannel known = enter();
        unauthenticated.remove(known);
        for (int k = 0; k <= UnauthenticatedPeers.MOST; k++) {
            enter();
        }
        assertTrue(known.isOpen());
    }

    @Test
    void aPeerThatTriesAgainFromAnotherPortIsToldOnce() {
        for (int port = 4000; port < 4010; port++) {
            unauthenticated.failed(new InetSocketAddress("127.0.0.1", port), "its certificate.pem has expired");
        }
        unauthenticated.failed(new InetSocketAddress("127.0.0.1", 4000), "it refused the certificate.pem of this side");
        unauthenticated.failed(new InetSocketAddress("127.0.0.2", 4000), "its certificate.pem has expired");
        assertEquals(List.of("a connection from 127.0.0.1 failed: its certificate.pem has expired",
                "a connection from 127.0.0.1 failed: it refused the certificate.pem of this side",
                "a connection from 127.0.0.2 failed: its certificate.pem has expired"), events);
    }

    @Test
    void notMoreIsToldThanSomebodyReads() {
        for (int k = 0; k < 2 * UnauthenticatedPeers.MOST_REPORTED; k++) {
            unauthenticated.failed(new InetSocketAddress("127.0.0.1", 4000), "reason " + k);
        }
        assertEquals(UnauthenticatedPeers.MOST_REPORTED, events.size());
    }
}
