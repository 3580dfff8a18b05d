package io.despina.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;
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
    void whoIsInterruptedWhileItOpensAPortLeavesItFree() throws Exception {
        Transport transport = SharedLoops.take();
        try {
            ServerBootstrap server = new ServerBootstrap().group(transport.group()).channel(transport.server())
                    .childHandler(new ChannelInboundHandlerAdapter());
            Channel first = Transport.listen(server, new InetSocketAddress("127.0.0.1", 0));
            SocketAddress address = first.localAddress();
            first.close().sync();
            Thread tester = Thread.currentThread();
            tester.interrupt();
            // a port that is open before one waits for it interrupts nobody
            transport.group().forEach(loop -> loop.execute(() -> {
                while (tester.isInterrupted()) {
                    Thread.onSpinWait();
                }
            }));
            assertThrows(InterruptedException.class, () -> Transport.listen(server, address));
            Transport.listen(server, address).close().sync();
        } finally {
            SharedLoops.give();
        }
    }

    @Test
    void onlyTheAcceptingSideGivesUpWhatIsNotAcknowledged() {
        assumeTrue(Epoll.isAvailable(), "without epoll the system's own times hold");
        assertEquals(Transport.UNANSWERED_MS, userTimeout(true));
        assertEquals(0, userTimeout(false), "a slow receiver's closed window would end the connection");
    }

    @Test
    void aPeerIsGoneThatAnswersNothingHoweverOftenItIsAsked() {
        assertTrue(Transport.isGone(3, 0, Transport.UNANSWERED_MS));
        assertTrue(Transport.isGone(0, 3, Transport.UNANSWERED_MS));
        assertFalse(Transport.isGone(9, 0, Transport.UNANSWERED_MS - 1), "one of them was answered a while ago");
        assertFalse(Transport.isGone(2, 1, 60_000), "a packet or two may be lost");
        assertFalse(Transport.isGone(0, 0, 3_600_000), "nothing was asked");
    }

    @Test
    void whyAConnectionFailedIsSaidInWords() {
        assertEquals("it was closed", Transport.why(new ClosedChannelException()));
        assertEquals("the certificate is unknown", Transport.why(new SSLHandshakeException("General OpenSslEngine problem")
                .initCause(new CertificateException("the certificate is unknown"))));
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
