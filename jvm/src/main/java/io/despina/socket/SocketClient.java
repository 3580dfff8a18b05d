package io.despina.socket;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A connection to a program that listens, for a thread that may block. It can be made again after it has broken. */
public final class SocketClient implements Closeable {
    private static final int CONNECT_MS = 5_000;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Address address;
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

    public SocketClient(Address address) throws IOException {
        this.address = address;
        tls = address.tls() == null ? null : address.tls().client();
        transport = SharedLoops.take();
    }

    public boolean isOpen() {
        return channel != null && channel.isActive();
    }

    /** Connects, and waits until that is done, TLS included. */
    public void connect() throws IOException, InterruptedException {
        drop();
        broken = null;
        InetSocketAddress to = new InetSocketAddress(address.host(), address.port());
        if (to.isUnresolved()) {
            throw new IOException("the host is not known");
        }
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
                        made.pipeline().addLast(new Discarding());
                    }
                }).connect(to);
        try {
            connecting.await();
            check(connecting.cause());
            channel = connecting.channel();
            if (tls != null) {
                check(channel.pipeline().get(SslHandler.class).handshakeFuture().await().cause());
            }
        } catch (IOException | InterruptedException e) {
            connecting.channel().close();
            channel = null;
            throw e;
        }
    }

    private static void check(Throwable cause) throws IOException {
        if (cause != null) {
            throw new IOException(Transport.why(cause), cause);
        }
    }

    /** Writes, and waits until the system has taken all of it. The bytes are not used afterwards. */
    public void write(byte[] bytes, int length) throws IOException, InterruptedException {
        ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(bytes, 0, length));
        boolean done = false;
        try {
            awaitTaken(written);
            done = true;
        } finally {
            if (!done) {
                drop();
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

    private void drop() {
        if (channel != null) {
            channel.close().awaitUninterruptibly(CONNECT_MS);
            channel = null;
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            drop();
            SharedLoops.give();
        }
    }

    /** What the peer sends does not count. */
    private final class Discarding extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            broken = cause;
            context.close();
        }
    }
}
