package io.despina.socket;

import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Connects to a program over a WebSocket, and takes its messages. When the connection breaks it makes another one. All of it is
 * done by one IO thread.
 */
public final class WebSocketCaller implements Endpoint {
    private static final int CONNECT_MS = 5_000;
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int REDIRECTED = 300;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int STOP_S = 5;

    private final Options options;
    private final Inflow<Received> inflow;
    private final Consumer<String> warn;
    private final Runnable wake;
    private final SslContext tls;
    private final Transport transport;
    private final EventLoop loop;
    /** Written by the IO thread. */
    private volatile Channel channel;
    private volatile IOException failure;
    /** Written by the source's thread. */
    private volatile boolean closed;
    /** Of the IO thread: how long it waits next, and whether the user knows, since a message came. */
    private long delay;
    private boolean told;
    /** Of the IO thread: how long it has waited since a connection was made, also for answers that did not come. */
    private long waited;

    /**
     * Where to connect to.
     *
     * @param uri   {@code ws://…} or {@code wss://…}
     * @param token what is shown to the peer, read for each connection; null for none
     * @param tls   the files for TLS; null for those that the system has
     * @param texts that are sent when a connection is made
     */
    public record Target(URI uri, TokenPlace token, TlsFiles tls, List<String> texts) {
        public static Target of(String url, TokenPlace token, TlsFiles tls, List<String> texts) {
            return new Target(URI.create(url), token, tls, texts);
        }

        boolean isSecure() {
            return uri.getScheme().equalsIgnoreCase("wss");
        }

        int port() {
            return uri.getPort() >= 0 ? uri.getPort() : isSecure() ? 443 : 80;
        }
    }

    /**
     * How it is done.
     *
     * @param mostBytes   of a message
     * @param idleMillis  a peer that is silent for so long is connected to again; 0 for never
     * @param retryMillis how long attempts may fail
     */
    public record Options(Target target, int mostBytes, long idleMillis, long retryMillis) {
    }

    /**
     * Begins to connect.
     *
     * @param warn takes what the user should know, from any thread
     * @param wake from any thread: {@link #failure} says why there are no connections any more
     * @throws IOException if a file cannot be used, or a secret is not there
     */
    public WebSocketCaller(Options options, Inflow<Received> inflow, Consumer<String> warn, Runnable wake)
            throws IOException {
        this.options = options;
        this.inflow = inflow;
        this.warn = warn;
        this.wake = wake;
        Target target = options.target();
        tls = !target.isSecure() ? null : (target.tls() == null ? new TlsFiles(null, null, null) : target.tls()).client();
        if (target.token() != null) {
            target.token().read();
        }
        transport = SharedLoops.take();
        loop = transport.group().next();
        connect();
    }

    /** A host is looked up by another thread: that may take long. */
    private void connect() {
        Target target = options.target();
        CompletableFuture.supplyAsync(() -> new InetSocketAddress(target.uri().getHost(), target.port()))
                .thenAccept(to -> Transport.execute(loop, () -> connect(to)));
    }

    private void connect(InetSocketAddress to) {
        if (closed || inflow.isStopped()) {
            return;
        }
        if (to.isUnresolved()) {
            again("the host is unknown", null);
            return;
        }
        Target target = options.target();
        String token;
        try {
            token = target.token() == null ? null : target.token().read();
        } catch (IOException secret) {
            fail(secret.getMessage(), secret);
            return;
        }
        Calling calling = new Calling();
        channel = new Bootstrap().group(loop).channel(transport.client())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new RoomReads(inflow))
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel made) {
                        install(made, new WebSocketUpgrade(target.uri(), token, false), calling);
                    }
                }).connect(to)
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        again(Transport.why(done.cause()), done.cause());
                    }
                }).channel();
    }

    private void install(SocketChannel made, WebSocketUpgrade upgrade, Calling calling) {
        Transport.keepAlive(made, false);
        if (tls != null) {
            made.pipeline().addLast(tls.newHandler(made.alloc(), upgrade.uri().getHost(), options.target().port()));
        }
        if (options.idleMillis() > 0) {
            made.pipeline().addLast(new IdleStateHandler(options.idleMillis(), 0, 0, TimeUnit.MILLISECONDS));
        }
        upgrade.install(made.pipeline(), CONNECT_MS, options.mostBytes());
        made.pipeline().addLast(calling, new WebSocketHandler(inflow, options.mostBytes(), new Peer(upgrade.uri().toString(),
                made::close)));
    }

    /** There is no connection: tries once more, later. */
    private void again(String why, Throwable cause) {
        if (closed || inflow.isStopped() || failure != null) {
            return;
        }
        if (cause instanceof ConnectTimeoutException) {
            waited += TimeUnit.MILLISECONDS.toNanos(CONNECT_MS);
        }
        String problem = "cannot reach " + options.target().uri() + ": " + why;
        if (waited >= TimeUnit.MILLISECONDS.toNanos(options.retryMillis())) {
            fail(problem + "; tried again for retry_for_ms=" + options.retryMillis(), cause);
            return;
        }
        if (!told) {
            told = true;
            warn.accept(problem + "; trying again");
        }
        delay = delay == 0 ? FIRST_NANOS : Math.min(2 * delay, MOST_NANOS);
        waited += delay;
        loop.schedule((Runnable) this::connect, delay, TimeUnit.NANOSECONDS);
    }

    private void fail(String why, Throwable cause) {
        failure = new IOException(why, cause);
        wake.run();
    }

    @Override
    public IOException failure() {
        return failure;
    }

    @Override
    public String description() {
        return "connects to " + options.target().uri();
    }

    @Override
    public void stop() {
        inflow.stop();
        Channel open = channel;
        if (open != null) {
            open.config().setAutoRead(false);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        inflow.stop();
        loop.submit(() -> channel).awaitUninterruptibly(STOP_S, TimeUnit.SECONDS);
        if (channel != null) {
            channel.close().awaitUninterruptibly(STOP_S, TimeUnit.SECONDS);
        }
        SharedLoops.give();
    }

    /** What becomes of one connection. */
    private final class Calling extends ChannelInboundHandlerAdapter {
        private boolean open;
        private Throwable broken;

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                open = true;
                waited = 0;
                WebSocketUpgrade upgrade = new WebSocketUpgrade(options.target().uri(), null, false);
                for (String text : options.target().texts()) {
                    context.writeAndFlush(upgrade.message(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8)));
                }
            } else if (event == ClientHandshakeStateEvent.HANDSHAKE_TIMEOUT) {
                broken = new ConnectTimeoutException("it does not answer");
                context.close();
            }
            context.fireUserEventTriggered(event);
        }

        /** A peer that lets everybody in, and sends them away at once, is not called all the time: a message must have come. */
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            delay = 0;
            told = false;
            context.fireChannelRead(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (open) {
                context.fireExceptionCaught(cause);
            } else {
                broken = cause;
                context.close();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            context.fireChannelInactive();
            if (broken instanceof WebSocketClientHandshakeException refused && refused.response() != null
                    && isFinal(refused.response().status().code())) {
                fail(options.target().uri() + " answers " + refused.response().status().code(), refused);
            } else if (TlsFiles.isOfCertificate(broken)) {
                fail(options.target().uri() + ": its certificate is not believed: " + Transport.why(broken), broken);
            } else {
                again(broken == null ? open ? "the connection has ended" : "it closes the connection" : Transport.why(broken),
                        broken);
            }
        }

        private boolean isFinal(int status) {
            return status >= REDIRECTED && status < SERVER_ERROR && status != REQUEST_TIMEOUT && status != TOO_MANY_REQUESTS;
        }
    }
}
