package io.despina.wire.handshake;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcceptingHandshakeTest {
    @Test
    void whoConnectsHasAsLongAsItWouldWaitItself() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.pipeline().addLast(new AcceptingHandshake(new KnownSecrets(new byte[16]), (id, admitted) -> {
            throw new AssertionError("nobody has proved anything");
        }, new UnauthenticatedPeers(event -> { })));
        channel.pipeline().fireChannelActive();
        channel.advanceTimeBy(ConnectingHandshake.TIMEOUT_S - 1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertTrue(channel.isOpen());
        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
        assertFalse(channel.isOpen());
    }
}
