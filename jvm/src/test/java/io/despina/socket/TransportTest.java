package io.despina.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TransportTest {
    @Test
    void aConnectionWithinTheMachineIsNotPaced() {
        assumeTrue(Epoll.isAvailable(), "without epoll the system's congestion control stays");
        EpollSocketChannel channel = new EpollSocketChannel();
        try {
            Transport.doNotPace(channel);
            assertEquals("reno", StandardCharsets.US_ASCII.decode(channel.config().getOption(Transport.CONGESTION)).toString());
        } finally {
            channel.unsafe().closeForcibly();
        }
    }

    @Test
    void onlyTheAcceptingSideGivesUpWhatIsNotAcknowledged() {
        assumeTrue(Epoll.isAvailable(), "without epoll the system's own times hold");
        assertEquals(Transport.UNANSWERED_MS, userTimeout(true));
        assertEquals(0, userTimeout(false), "a slow receiver's closed window would end the connection");
    }

    private static int userTimeout(boolean accepted) {
        EpollSocketChannel channel = new EpollSocketChannel();
        try {
            Transport.keepAlive(channel, accepted);
            return channel.config().getOption(EpollChannelOption.TCP_USER_TIMEOUT);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }
}
