package io.despina.socket;

import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Listens on a port, for any number of clients up to a limit. */
public final class SocketListener implements Endpoint {
    /** Clients that the system lets wait until they are accepted; its own limit may be less. */
    private static final int BACKLOG = 4096;
    private static final int STOP_S = 5;
    private static final ReadsAnswers READS_ANSWERS = new ReadsAnswers();

    private final Options options;
    private final Protocol protocol;
    private final Inflow<Received> inflow;
    private final Consumer<String> warn;
    private final SslContext tls;
    private final Channel listening;
    /** Any thread. */
    private final Set<Channel> clients = ConcurrentHashMap.newKeySet();
    /** Of the thread that opened it. */
    private boolean closed;
    /** Written by IO threads; a race only warns twice. */
    private volatile boolean warned;
    private volatile boolean warnedOfWaiting;

    /**
     * Where to listen.
     *
     * @param port       0 for any that is free
     * @param maxClients a further client is sent away
     * @param idleMillis a client that is silent for so long is sent away; 0 for never
     * @param tls        null without TLS
     */
    public record Options(String host, int port, int maxClients, long idleMillis, TlsFiles tls) {
    }

    /** @param warn takes what the user should know, from any thread */
    public SocketListener(Options options, Protocol protocol, Inflow<Received> inflow, Consumer<String> warn) throws IOException {
        this.options = options;
        this.protocol = protocol;
        this.inflow = inflow;
        this.warn = warn;
        protocol.prepare();
        tls = options.tls() == null ? null : options.tls().server();
        Transport transport = SharedLoops.take();
        try {
            listening = listen(transport);
        } catch (IOException | RuntimeException e) {
            SharedLoops.give();
            throw e;
        }
    }

    private Channel listen(Transport transport) throws IOException {
        ServerBootstrap server = new ServerBootstrap().group(transport.group()).channel(transport.server())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new RoomReads(inflow))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accept(channel);
                    }
                });
        try {
            Channel channel = Transport.listen(server, new InetSocketAddress(options.host(), options.port()));
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                    notAccepted(cause);
                }
            });
            return channel;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while opening port " + options.port(), e);
        } catch (Exception e) {
            throw new IOException(Transport.cannotListen(options.host(), options.port(), e), e);
        }
    }

    /** Most likely there are no file descriptors left. Netty waits a second before it accepts more. */
    private void notAccepted(Throwable cause) {
        if (!warnedOfWaiting) {
            warnedOfWaiting = true;
            warn.accept("a client cannot be accepted (" + Transport.why(cause) + ") and waits; if too many files are open, raise "
                    + "the limit of the process (ulimit -n)");
        }
    }

    private void accept(SocketChannel channel) {
        boolean full = clients.size() >= options.maxClients();
        if (full || inflow.isStopped()) {
            if (full && !warned) {
                warned = true;
                warn.accept("more than max_clients=" + options.maxClients() + " clients; further ones are sent away");
            }
            channel.close();
            return;
        }
        clients.add(channel);
        channel.closeFuture().addListener(closed -> clients.remove(channel));
        Transport.keepAlive(channel, true);
        if (tls != null) {
            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        }
        if (options.idleMillis() > 0) {
            channel.pipeline().addLast(new IdleStateHandler(options.idleMillis(), 0, 0, TimeUnit.MILLISECONDS));
        }
        channel.pipeline().addLast(READS_ANSWERS);
        protocol.install(channel.pipeline(), inflow, new Peer(name(channel), channel::close));
    }

    /** Sends a client away that asks on and does not read its answers, before they fill the memory. */
    @Sharable
    private static final class ReadsAnswers extends ChannelInboundHandlerAdapter {
        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                context.fireChannelWritabilityChanged();
            } else {
                context.close();
            }
        }
    }

    private static String name(SocketChannel channel) {
        InetSocketAddress address = channel.remoteAddress();
        return address == null ? "a client that has gone" : address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** The port that it listens on. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** How many clients are connected now. */
    public int clients() {
        return clients.size();
    }

    @Override
    public String description() {
        return "listens on " + options.host() + ":" + port();
    }

    @Override
    public void stop() {
        inflow.stop();
        listening.close();
        clients.forEach(client -> client.config().setAutoRead(false));
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        inflow.stop();
        listening.close().awaitUninterruptibly(STOP_S, TimeUnit.SECONDS);
        // an answer that waits for its thread leaves before its channel is closed, and the threads may end with the last listener
        List<ChannelFuture> closing = clients.stream().map(Channel::close).toList();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_S);
        closing.forEach(client -> client.awaitUninterruptibly(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
        SharedLoops.give();
    }
}
