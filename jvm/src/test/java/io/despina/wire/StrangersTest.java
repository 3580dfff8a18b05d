package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrangersTest {
    private final Strangers strangers = new Strangers();

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
}
