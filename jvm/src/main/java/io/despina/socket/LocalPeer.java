package io.despina.socket;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;

/**
 * Listens on a Unix socket for one process of this machine, and exchanges frames with it: a head of 16 bytes (little endian: 4 of
 * the payload's length, 4 of its kind, 8 of a number), then the payload. Nothing here blocks after
 * {@link #listen}. Who serves its connection, {@link SocketThread} says.
 */
public final class LocalPeer implements Closeable {
    static final int HEAD = 16;
    private static final int KIND = 4;
    private static final int NUMBER = 8;
    private static final int SOCKET_BYTES = 1 << 20;

    private final Receiver receiver;
    private final int mostBytes;
    private final Channel listening;
    /** Written by the IO thread when the process has connected. */
    private volatile Channel channel;
    private boolean closed;

    /** What comes, on the IO thread. */
    public interface Receiver {
        /** @param kind in its lowest byte; the others are what it has to say besides @param payload the receiver's own */
        void frame(int kind, long number, byte[] payload);

        /** The process has closed its end, or broke the protocol. @param why null if it has closed */
        void closed(String why);
    }

    private LocalPeer(Path path, int mostBytes, Receiver receiver) throws IOException {
        this.receiver = receiver;
        this.mostBytes = mostBytes;
        Transport transport = SharedLoops.take();
        boolean epoll = transport.server() == EpollServerSocketChannel.class;
        SocketAddress address = epoll ? new DomainSocketAddress(path.toString()) : UnixDomainSocketAddress.of(path);
        try {
            listening = Transport.listen(new ServerBootstrap()
                    .group(transport.group(), SocketThread.serving(transport.group()))
                    .channel(epoll ? EpollServerDomainSocketChannel.class : NioServerDomainSocketChannel.class)
                    .childOption(ChannelOption.SO_SNDBUF, SOCKET_BYTES)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel made) {
                            accept(made);
                        }
                    }), address);
        } catch (InterruptedException e) {
            SharedLoops.give();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while opening " + path, e);
        } catch (Exception e) {
            SharedLoops.give();
            throw new IOException("cannot listen on " + path + ": " + Transport.why(e), e);
        }
    }

    /**
     * Opens the socket.
     *
     * @param path      at most 100 bytes, in a folder that nobody else may enter
     * @param mostBytes of a payload that comes
     */
    public static LocalPeer listen(Path path, int mostBytes, Receiver receiver) throws IOException {
        return new LocalPeer(path, mostBytes, receiver);
    }

    private void accept(Channel made) {
        if (channel != null) {
            made.close();
            return;
        }
        channel = made;
        made.pipeline().addLast(new Frames());
        listening.close();
    }

    /** From any thread, once the process has sent a frame. The payload is not changed afterwards. */
    public void send(int kind, long number, byte[] payload) {
        channel.writeAndFlush(frame(kind, number, payload), channel.voidPromise());
    }

    /** As {@link #send}, but it leaves with the next one. */
    public void queue(int kind, long number, byte[] payload) {
        channel.write(frame(kind, number, payload), channel.voidPromise());
    }

    private static ByteBuf frame(int kind, long number, byte[] payload) {
        ByteBuf head = Unpooled.buffer(HEAD, HEAD);
        head.writeIntLE(payload.length).writeByte(kind).writeZero(NUMBER - KIND - 1).writeLongLE(number);
        return Unpooled.wrappedBuffer(head, Unpooled.wrappedBuffer(payload));
    }

    /** From any thread: whether to take more of what the process sends. While not, it waits in its write. */
    public void read(boolean more) {
        channel.config().setAutoRead(more);
    }

    /** From any thread: whether the process has connected. */
    public boolean isConnected() {
        return channel != null;
    }

    /** From any thread: takes no more of the process that has connected. The receiver is told that it is closed. */
    public void hangUp() {
        channel.close();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            listening.close();
            if (channel != null) {
                channel.close();
            }
            SharedLoops.give();
        }
    }

    /** Puts frames together: a payload is read into the array that the receiver gets. */
    private final class Frames extends ChannelInboundHandlerAdapter {
        private final ByteBuf head = Unpooled.buffer(HEAD, HEAD);
        private byte[] payload;
        private int filled;
        private String broken;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf in = (ByteBuf) message;
            try {
                while (broken == null && in.isReadable()) {
                    step(in);
                }
            } finally {
                in.release();
            }
            if (broken != null) {
                context.close();
            }
        }

        private void step(ByteBuf in) {
            if (payload == null) {
                head.writeBytes(in, Math.min(in.readableBytes(), head.writableBytes()));
                if (head.isWritable()) {
                    return;
                }
                long length = head.getUnsignedIntLE(0);
                if (length > mostBytes) {
                    broken = "a frame of " + length + " bytes, more than " + mostBytes;
                    return;
                }
                payload = new byte[(int) length];
                filled = 0;
            }
            int more = Math.min(in.readableBytes(), payload.length - filled);
            in.readBytes(payload, filled, more);
            filled += more;
            if (filled == payload.length) {
                byte[] whole = payload;
                payload = null;
                int kind = head.getIntLE(KIND);
                long number = head.getLongLE(NUMBER);
                head.clear();
                receiver.frame(kind, number, whole);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            receiver.closed(broken);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            broken = broken == null ? Transport.why(cause) : broken;
            context.close();
        }
    }
}
