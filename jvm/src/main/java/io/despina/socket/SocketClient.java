package io.despina.socket;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A connection to a program that listens, as it is or as a WebSocket, for a thread that may block. It can be made again after it
 * has broken.
 */
public final class SocketClient implements Closeable {
    private static final int CONNECT_MS = 5_000;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Address address;
    /** Null for bytes as they are. */
    private final WebSocketUpgrade upgrade;
    private final SslContext tls;
    private final Transport transport;
    /** Null while there is no connection. */
    private Channel channel;
    /** Why the connection broke; written by the IO thread. */
    private volatile Throwable broken;
    private boolean closed;
    /** When it last looked whether the peer is still there. */
    private long looked = System.nanoTime();

    /**
     * Where to connect to.
     *
     * @param tls         null without TLS
     * @param writeMillis how long the peer may take nothing before the connection counts as broken; 0 for as long as it likes
     */
    public record Address(String host, int port, TlsFiles tls, long writeMillis) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** @param upgrade null for bytes as they are */
    public SocketClient(Address address, WebSocketUpgrade upgrade) throws IOException {
        this.address = address;
        this.upgrade = upgrade;
        tls = address.tls() == null ? null : address.tls().client();
        transport = SharedLoops.take();
    }

    public boolean isOpen() {
        return channel != null && channel.isActive();
    }

    /** How messages call the other side. */
    public String peer() {
        return upgrade == null ? address.toString() : upgrade.uri().toString();
    }

    /** Connects, and waits until that is done, TLS and the WebSocket included. */
    public void connect() throws IOException, InterruptedException {
        abort();
        broken = null;
        InetSocketAddress to = new InetSocketAddress(address.host(), address.port());
        if (to.isUnresolved()) {
            throw new IOException("the host is unknown");
        }
        Receiving receiving = new Receiving();
        ChannelFuture connecting = new Bootstrap().group(transport.group()).channel(transport.client())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel made) {
                        Transport.keepAlive(made, false);
                        if (tls != null) {
                            made.pipeline().addLast(tls.newHandler(made.alloc(), address.host(), address.port()));
                        }
                        if (upgrade != null) {
                            upgrade.install(made.pipeline(), CONNECT_MS, WebSocketUpgrade.MOST_FRAME);
                        }
                        made.pipeline().addLast(receiving);
                    }
                }).connect(to);
        channel = connecting.channel();
        boolean open = false;
        try {
            connecting.await();
            check(connecting.cause());
            receiving.opened.get();
            open = true;
        } catch (ExecutionException e) {
            check(e.getCause());
        } finally {
            if (!open) {
                abort();
            }
        }
    }

    private static void check(Throwable cause) throws IOException {
        if (cause != null) {
            throw new IOException(Transport.why(cause), cause);
        }
    }

    /** Writes, and waits until the system has taken all of it. The bytes are not used afterwards. */
    public void write(byte[] bytes, int length) throws IOException, InterruptedException {
        ByteBuf out = Unpooled.wrappedBuffer(bytes, 0, length);
        ChannelFuture written = channel.writeAndFlush(upgrade == null ? out : upgrade.message(out));
        boolean done = false;
        try {
            awaitTaken(written);
            done = true;
        } finally {
            if (!done) {
                abort();
            }
        }
        check(broken == null || written.isSuccess() ? written.cause() : broken);
    }

    /** Looks now and then whether the peer is still there, whether or not the write must wait. */
    private void awaitTaken(ChannelFuture written) throws IOException, InterruptedException {
        long start = System.nanoTime();
        long most = address.writeMillis() == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(address.writeMillis());
        boolean taken;
        do {
            taken = written.await(Math.min(LOOK_NANOS, most), TimeUnit.NANOSECONDS);
            long now = System.nanoTime();
            if (now - looked >= LOOK_NANOS) {
                looked = now;
                if (Transport.isGone(channel)) {
                    throw new IOException("its machine no longer answers");
                }
            }
            if (!taken && now - start >= most) {
                throw new IOException("it took nothing for write_timeout_ms=" + address.writeMillis());
            }
        } while (!taken);
    }

    /** Closes it at once, past all that would tell the peer. */
    private void abort() {
        if (channel != null) {
            ChannelHandlerContext first = channel.pipeline().firstContext();
            (first == null ? channel.close() : first.close()).awaitUninterruptibly(CONNECT_MS);
            channel = null;
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (channel != null) {
                channel.close().awaitUninterruptibly(CONNECT_MS);
            }
            abort();
            SharedLoops.give();
        }
    }

    /** Waits until the connection is open. What the peer sends then does not count. */
    private final class Receiving extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Void> opened = new CompletableFuture<>();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (tls == null && upgrade == null) {
                opened.complete(null);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof SslHandshakeCompletionEvent secured) {
                if (!secured.isSuccess()) {
                    opened.completeExceptionally(secured.cause());
                } else if (upgrade == null) {
                    opened.complete(null);
                }
            } else if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                opened.complete(null);
            } else if (event == ClientHandshakeStateEvent.HANDSHAKE_TIMEOUT) {
                opened.completeExceptionally(new IOException("it does not answer"));
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            opened.completeExceptionally(new ClosedChannelException());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            broken = cause instanceof WebSocketClientHandshakeException refused && refused.response() != null
                    && !refused.response().status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)
                    ? new IOException("it answers " + refused.response().status().code(), cause) : cause;
            opened.completeExceptionally(broken);
            context.channel().pipeline().firstContext().close();
        }
    }
}
