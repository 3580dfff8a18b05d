import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Blocking sockets of the loopback interface. */
final class Sockets {
    static final int BUFFER_BYTES = 256 * 1024;
    private static final boolean UNPACED = Boolean.getBoolean("unpaced");
    /** Linux's numbers. */
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;

    private Sockets() {
    }

    static ServerSocketChannel listen() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
        doNotPace(server);
        return server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** The relay's: its receive buffer is the listening socket's. */
    static SocketChannel accept(ServerSocketChannel server) throws IOException {
        SocketChannel socket = server.accept();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return socket;
    }

    static SocketChannel connect(int port) throws IOException {
        SocketChannel socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        socket.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        doNotPace(socket);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    /**
     * With {@code -Dunpaced=true}: Reno, which paces nothing, as the engine has it on loopback. Before it is connected, since a
     * connection that begins under a control that paces (BBR) stays paced; what a server accepts inherits it. Java has no option
     * for it, so Netty sets it on the channel's file descriptor, which {@code harness/bare.py} opens to reflection.
     */
    private static void doNotPace(NetworkChannel channel) throws IOException {
        if (!UNPACED) {
            return;
        }
        Epoll.ensureAvailability();
        try {
            Method descriptor = channel.getClass().getMethod("getFDVal");
            descriptor.setAccessible(true);
            new Socket((int) descriptor.invoke(channel)).setRawOpt(IPPROTO_TCP, TCP_CONGESTION,
                    ByteBuffer.wrap("reno".getBytes(StandardCharsets.US_ASCII)));
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IOException("the congestion control of " + channel + " cannot be set", e);
        }
    }

    static ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(BUFFER_BYTES);
    }

    /** Writes all of it and clears it. */
    static void writeAll(SocketChannel socket, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            socket.write(from);
        }
        from.clear();
    }
}
