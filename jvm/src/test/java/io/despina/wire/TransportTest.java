package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
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
}
