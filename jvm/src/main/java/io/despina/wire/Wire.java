package io.despina.wire;

import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.metrics.LinkCounters;
import io.despina.socket.Transport;
import io.despina.wire.handshake.AcceptingHandshake;
import io.despina.wire.handshake.AcceptingHandshake.Verdict;
import io.despina.wire.handshake.ConnectingHandshake;
import io.despina.wire.handshake.ConnectingHandshake.HandshakeListener;
import io.despina.wire.handshake.Hello;
import io.despina.wire.handshake.KnownSecrets;
import io.despina.wire.handshake.Secret;
import io.despina.wire.handshake.Tls;
import io.despina.wire.handshake.UnauthenticatedPeers;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * A resource's end of the network: one listening port for data channels (one TCP connection for each remote channel) and
 * control connections, and the IO threads that serve them. Nothing is accepted before both sides have proved that they know
 * the secret of the job, or of this process ({@link KnownSecrets}).
 */
public final class Wire implements Network, AutoCloseable {
    private static final int CONNECT_MS = 5_000;
    /**
     * How often, and for how long, to try a channel again that the receiving resource does not know yet, or whose resource is
     * out of reach.
     */
    private static final int RETRY_MS = 20;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int LEAST_READ = 2 << 10;
    private static final int FIRST_READ = 16 << 10;
    private static final int MOST_READ = 256 << 10;
    private static final int STOP_S = 5;

    private final WireOptions options;
    private final KnownSecrets secrets;
    /** Under which those that it calls may have admitted it. */
    private final String name;
    private final Transport transport;
    private final UnauthenticatedPeers unauthenticated =
            new UnauthenticatedPeers(event -> System.err.println("despina: " + event));
    private final Channel listening;
    /** Any thread. All that are open; once they have been closed, a new one is closed at once. */
    private final ChannelGroup sockets = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);
    /** Any thread. Receiving ends whose channel has not ended, and of these, those whose sender has connected. */
    private final Map<ChannelId, RemoteReceiver> receivers = new ConcurrentHashMap<>();
    private final Set<ChannelId> connected = ConcurrentHashMap.newKeySet();
    /** Any thread. Sending ends whose channel has not ended. */
    private final Map<ChannelId, Outgoing> senders = new ConcurrentHashMap<>();
    /** Any thread. Per attempt of a job, what to run when the last of its sending ends has ended. */
    private final Map<Attempt, Runnable> waiting = new ConcurrentHashMap<>();
    /** Written by the resource, read by IO threads. */
    private volatile Function<ControlConnection, ControlHandler> accept;

    /** A sending end and the thread that serves it. */
    private record Outgoing(RemoteSender sender, EventLoop loop) {
    }

    private Wire(WireOptions options, String name, Transport transport) throws IOException {
        this.options = options;
        this.name = name;
        this.transport = transport;
        secrets = new KnownSecrets(options.secret());
        listening = listen();
        sockets.add(listening);
        // before anybody connects: a proof holds up the beats of all control connections
        transport.group().next().execute(secrets.common()::load);
    }

    /** @throws IOException if the port is in use, or the host is not an address of this machine */
    public static Wire open(WireOptions options) throws IOException {
        return open(options, "");
    }

    /**
     * The same.
     *
     * @param name under which those that it calls may have admitted it; empty for none
     */
    public static Wire open(WireOptions options, String name) throws IOException {
        Transport transport = Transport.open(options.ioThreads());
        try {
            return new Wire(options, name, transport);
        } catch (IOException e) {
            stop(transport);
            throw e;
        }
    }

    private Channel listen() throws IOException {
        ServerBootstrap server = new ServerBootstrap().group(transport.group()).channel(transport.server())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_RCVBUF, options.socketBytes())
                .childOption(ChannelOption.SO_SNDBUF, options.socketBytes())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, reads())
                .childHandler(initializer(null, () -> new AcceptingHandshake(secrets, this::accept, unauthenticated)));
        try {
            return Transport.listen(server, new InetSocketAddress(options.host(), options.port()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while opening port " + options.port(), e);
        } catch (Exception e) {
            throw new IOException(Transport.cannotListen(options.host(), options.port(), e), e);
        }
    }

    private static AdaptiveRecvByteBufAllocator reads() {
        AdaptiveRecvByteBufAllocator reads = new AdaptiveRecvByteBufAllocator(LEAST_READ, FIRST_READ, MOST_READ);
        reads.maxMessagesPerRead(1);
        return reads;
    }

    /** Creates the handler of a new connection. */
    private interface First {
        ChannelHandler handler();
    }

    /** @param to the address that this side connects to, whose certificate TLS checks; null on the accepting side */
    private ChannelInitializer<SocketChannel> initializer(InetSocketAddress to, First first) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                if (to != null && !to.isUnresolved() && to.getAddress().isLoopbackAddress()) {
                    Transport.doNotPace(channel);
                }
                Transport.keepAlive(channel, to == null);
                Tls tls = options.tls();
                if (tls != null) {
                    channel.pipeline().addLast(to == null ? tls.server().newHandler(channel.alloc())
                            : tls.client().newHandler(channel.alloc(), to.getHostString(), to.getPort()));
                }
                channel.pipeline().addLast("connection", first.handler());
                sockets.add(channel);
            }
        };
    }

    /** The port it listens on. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** Lets the data connections of that job come and go, and its programs or that process call, by this secret alone. */
    public void admit(String job, String secret) {
        secrets.admit(job, secret.getBytes(StandardCharsets.UTF_8));
    }

    /** What was admitted under that name has ended. Connections that stand stay. */
    public void forget(String job) {
        secrets.forget(job);
    }

    private Verdict accept(ChannelId id, String admitted) {
        if (id == null) {
            Function<ControlConnection, ControlHandler> handlers = accept;
            return handlers == null
                    ? Verdict.refused(Hello.NOT_KNOWN_YET, "this resource takes no control connections")
                    : Verdict.accepted(new ControlChannel(handlers, admitted), null);
        }
        RemoteReceiver receiver = receivers.get(id);
        if (receiver == null) {
            int later = latest(id.attempt().job());
            return later > id.attempt().number()
                    ? Verdict.refused(Hello.REFUSED, id + " is over: attempt " + later + " of the job runs here")
                    : Verdict.refused(Hello.NOT_KNOWN_YET, id + " does not end here");
        }
        return connected.add(id) ? Verdict.accepted(receiver, receiver.loop())
                : Verdict.refused(Hello.REFUSED, id + " is connected already");
    }

    /** The latest attempt of a job that has channels which end here; 0 if none has. */
    private int latest(String job) {
        return receivers.keySet().stream().map(ChannelId::attempt).filter(attempt -> attempt.job().equals(job))
                .mapToInt(Attempt::number).max().orElse(0);
    }

    /**
     * Connects to another resource's port, and waits until both sides have proved that they know the secret. Not to be called on
     * an IO thread.
     *
     * @throws IOException if no resource listens there, or it has another secret; the message says which
     */
    public ControlConnection control(String host, int port, ControlHandler handler) throws IOException {
        CompletableFuture<ControlConnection> done = new CompletableFuture<>();
        connect(transport.group().next(), new InetSocketAddress(host, port), Hello.control(name), new HandshakeListener() {
            @Override
            public ChannelHandler accepted() {
                return new ControlChannel(connection -> {
                    if (!done.complete(connection)) {
                        connection.close();         // nobody waits for it any more
                    }
                    return handler;
                }, "");
            }

            @Override
            public void refused(String reason, boolean later) {
                done.completeExceptionally(new IOException(host + ":" + port + ": " + reason));
            }
        });
        try {
            return done.get(CONNECT_MS + TimeUnit.SECONDS.toMillis(ConnectingHandshake.TIMEOUT_S), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            giveUp(done);
            throw new IOException(host + ":" + port + ": no answer", e);
        } catch (InterruptedException e) {
            giveUp(done);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while connecting to " + host + ":" + port, e);
        }
    }

    /** Whether it has opened just now or opens later: it is closed. */
    private static void giveUp(CompletableFuture<ControlConnection> opening) {
        if (!opening.cancel(false) && !opening.isCompletedExceptionally()) {
            opening.join().close();
        }
    }

    /** @param accept gives the handler for each control connection that comes in; until set, they are refused */
    public void onControl(Function<ControlConnection, ControlHandler> accept) {
        this.accept = accept;
    }

    /** IO for a thread that has other work too; {@link IoLoop#own} comes first, {@link IoLoop#close} before this is closed. */
    public IoLoop loop() {
        return new IoLoop(transport.handlers());
    }

    @Override
    public ChannelReceiver receiver(ChannelId id, ChannelOptions channel, FailureListener failure, IoLoop loop) {
        RemoteReceiver receiver = new RemoteReceiver(id, channel, options,
                new RemoteReceiver.Ends(loop == null ? null : loop.events(), failure, () -> forget(id)));
        if (receivers.putIfAbsent(id, receiver) != null) {
            throw new IllegalStateException(id + " ends here already");
        }
        return receiver.inbox();
    }

    private void forget(ChannelId id) {
        receivers.remove(id);
        connected.remove(id);
    }

    @Override
    public ChannelSender sender(ChannelId id, To to, ChannelOptions channel, LinkCounters.WireCounters counters,
                                FailureListener failure) {
        RemoteSender sender = new RemoteSender(id, channel, options,
                new RemoteSender.Ends(counters, failure, () -> sent(id)));
        EventLoop loop = to.loop() == null ? transport.group().next() : to.loop().events();
        if (senders.putIfAbsent(id, new Outgoing(sender, loop)) != null) {
            throw new IllegalStateException(id + " begins here already");
        }
        connect(id, new InetSocketAddress(to.host(), to.port()), options.clock().getAsLong() + RETRY_NANOS);
        return sender.queue();
    }

    private void connect(ChannelId id, InetSocketAddress to, long giveUp) {
        Outgoing outgoing = senders.get(id);
        if (outgoing == null) {
            return;
        }
        connect(outgoing.loop(), to, Hello.of(id), new HandshakeListener() {
            @Override
            public ChannelHandler accepted() {
                return outgoing.sender();
            }

            @Override
            public void refused(String reason, boolean later) {
                if (later && options.clock().getAsLong() - giveUp < 0) {
                    outgoing.loop().schedule(() -> connect(id, to, giveUp), RETRY_MS, TimeUnit.MILLISECONDS);
                } else {
                    outgoing.sender().fail(to.getHostString() + ":" + to.getPort() + ": " + reason);
                }
            }
        });
    }

    private void connect(EventLoop loop, InetSocketAddress to, Hello hello, HandshakeListener listener) {
        byte[] words = hello.bytes();
        Secret secret = hello.channel() == null ? secrets.common() : secrets.of(hello.name());
        new Bootstrap().group(loop).channel(transport.client())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.SO_SNDBUF, options.socketBytes())
                .option(ChannelOption.SO_RCVBUF, options.socketBytes())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .handler(initializer(to,
                        () -> new ConnectingHandshake(secret, words,
                                new ConnectingHandshake.Peer(to.getHostString(), options.tls() != null), listener)))
                .connect(to)
                .addListener(f -> {
                    if (!f.isSuccess()) {
                        listener.refused("nobody answers there (" + Transport.why(f.cause()) + ")", true);
                    }
                });
    }

    @Override
    public void whenSent(Attempt attempt, Runnable done) {
        waiting.put(attempt, done);
        tell(attempt);
    }

    private void sent(ChannelId id) {
        senders.remove(id);
        tell(id.attempt());
    }

    private void tell(Attempt attempt) {
        if (waiting.containsKey(attempt) && senders.keySet().stream().noneMatch(id -> id.attempt().equals(attempt))) {
            Runnable done = waiting.remove(attempt);
            if (done != null) {
                done.run();
            }
        }
    }

    @Override
    public void release(Attempt attempt) {
        receivers.forEach((id, receiver) -> {
            if (id.attempt().equals(attempt)) {
                forget(id);
                receiver.release();
            }
        });
        senders.forEach((id, outgoing) -> {
            if (id.attempt().equals(attempt)) {
                Transport.execute(outgoing.loop(), outgoing.sender()::end);
            }
        });
    }

    /** Ends everything and waits for the IO threads. */
    @Override
    public void close() {
        receivers.values().forEach(RemoteReceiver::release);
        senders.values().forEach(o -> Transport.execute(o.loop(), o.sender()::end));
        // A loop that is told to end while it runs tasks ends at once, and leaves its sockets open (Netty 4.2): nobody would
        // tell the other sides.
        sockets.close().awaitUninterruptibly(STOP_S, TimeUnit.SECONDS);
        stop(transport);
    }

    private static void stop(Transport transport) {
        transport.group().shutdownGracefully(0, STOP_S, TimeUnit.SECONDS).awaitUninterruptibly(STOP_S, TimeUnit.SECONDS);
    }
}
