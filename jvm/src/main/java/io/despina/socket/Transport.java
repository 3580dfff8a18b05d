package io.despina.socket;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLException;

/** Epoll if the system has it, else NIO. */
public record Transport(EventLoopGroup group, IoHandlerFactory handlers, Class<? extends ServerSocketChannel> server,
                 Class<? extends SocketChannel> client) {
    private static final int IDLE_S = 5;
    private static final int ASK_EVERY_S = 3;
    private static final int ASKS = 3;
    /** The same time: if this is set, the system uses it in place of the number of probes. */
    static final int UNANSWERED_MS = (IDLE_S + ASKS * ASK_EVERY_S) * 1000;
    private static final byte[] RENO = "reno".getBytes(StandardCharsets.US_ASCII);
    /** Linux's TCP_CONGESTION, of IPPROTO_TCP. */
    static final RawUnixChannelOption CONGESTION = new RawUnixChannelOption("TCP_CONGESTION", 6, 13, RENO.length);

    static {
        // Netty's own choice, SLF4J over Log4j, takes longer to start than the rest of a relay's resource
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    }

    public static Transport open(int threads) {
        DefaultThreadFactory names = new DefaultThreadFactory("despina-io", true);
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory handlers = newHandlers();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(threads, names, handlers);
        return epoll ? new Transport(group, handlers, EpollServerSocketChannel.class, EpollSocketChannel.class)
                : new Transport(group, handlers, NioServerSocketChannel.class, NioSocketChannel.class);
    }

    /** Of a loop of one's own. */
    public static IoHandlerFactory newHandlers() {
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /**
     * Detects a peer that can no longer be reached, although no packet says so. While nothing is in flight to it, the system
     * probes it after {@link #IDLE_S}, and gives the connection up after {@link #ASKS} probes without an answer. The accepting
     * side also gives up when what it has sent is not acknowledged for as long. The connecting side must not: Linux counts the
     * time in which a slow receiver's window is closed as well, even if the receiver answers. Nor need it, since a receiver
     * keeps the connection until its sender has closed. Without epoll the system's own times apply, two hours by default.
     */
    public static void keepAlive(SocketChannel channel, boolean accepted) {
        channel.config().setKeepAlive(true);
        if (channel instanceof EpollSocketChannel) {
            channel.config().setOption(EpollChannelOption.TCP_KEEPIDLE, IDLE_S);
            channel.config().setOption(EpollChannelOption.TCP_KEEPINTVL, ASK_EVERY_S);
            channel.config().setOption(EpollChannelOption.TCP_KEEPCNT, ASKS);
            if (accepted) {
                channel.config().setOption(EpollChannelOption.TCP_USER_TIMEOUT, UNANSWERED_MS);
            }
        }
    }

    /**
     * Whether the other side's system has acknowledged nothing for {@link #UNANSWERED_MS}, however often it was asked: its
     * machine or the way to it is gone. A receiver that is only slow answers when it is asked whether its window is open, which
     * TCP_USER_TIMEOUT does not count. Without epoll this is not known, and the system gives up after some 15 minutes.
     */
    static boolean isGone(Channel channel) {
        if (!(channel instanceof EpollSocketChannel socket)) {
            return false;
        }
        try {
            EpollTcpInfo info = socket.tcpInfo();
            return isGone(info.retransmits(), info.probes(), info.lastAckRecv());
        } catch (ChannelException closed) {
            return false;
        }
    }

    /**
     * @param retransmits  of the oldest data since something was acknowledged
     * @param probes       of a closed window, since one was answered
     * @param silentMillis since the last acknowledgement
     */
    static boolean isGone(int retransmits, int probes, long silentMillis) {
        return silentMillis >= UNANSWERED_MS && Math.max(retransmits, probes) >= ASKS;
    }

    /**
     * For a connection that stays within this machine, where nothing is congested. A system whose usual control paces what is
     * sent (BBR) spends a tenth of a relay on its timers (docs/design/012); Reno does not pace, and every Linux has it.
     */
    public static void doNotPace(SocketChannel channel) {
        if (channel instanceof EpollSocketChannel) {
            try {
                channel.config().setOption(CONGESTION, ByteBuffer.wrap(RENO));
            } catch (ChannelException notAllowed) {
                System.getLogger(Transport.class.getName()).log(System.Logger.Level.DEBUG,
                        "the system's congestion control stays", notAllowed);
            }
        }
    }

    /** Why a connection failed, without the system call, which Netty puts in front, and the address behind it. */
    public static String why(Throwable failed) {
        // OpenSSL's says only that there is a problem
        Throwable cause = failed instanceof SSLException && failed.getCause() != null ? failed.getCause() : failed;
        return cause.getMessage() == null ? cause instanceof ClosedChannelException ? "it was closed" : cause.toString()
                : cause.getMessage().replaceFirst("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ", "")
                .replaceFirst(": \\S*/\\S+$", "");
    }

    /** Listens. Who is interrupted meanwhile leaves nothing open: the next attempt of a job wants the same port at once. */
    public static Channel listen(ServerBootstrap server, SocketAddress address) throws InterruptedException {
        ChannelFuture bound = server.bind(address);
        boolean listens = false;
        try {
            bound.sync();
            listens = true;
            return bound.channel();
        } finally {
            if (!listens && bound.awaitUninterruptibly().isSuccess()) {
                bound.channel().close().awaitUninterruptibly();
            }
        }
    }

    /** That a port could not be opened, why, and what to do about it. */
    public static String cannotListen(String host, int port, Throwable cause) {
        boolean unknown = cause instanceof UnresolvedAddressException;
        String why = unknown ? "the host is unknown" : why(cause);
        return "cannot listen on " + host + ":" + port + " (" + why + "): "
                + (unknown || why.startsWith("Cannot assign") ? "take an address of this machine, such as 127.0.0.1"
                : why.startsWith("Permission denied") ? "the system keeps such ports for itself; take one from 1024 on, or 0 for"
                + " any free one" : "another process may use the port; take another, or 0 for any free one");
    }

    /** Runs it on an IO thread. One that has ended has closed its connections before, so then there is nothing to do. */
    public static void execute(EventExecutor loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException ended) {
            System.getLogger(Transport.class.getName()).log(System.Logger.Level.DEBUG, "its loop has ended", ended);
        }
    }
}
