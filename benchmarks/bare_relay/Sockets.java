import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Blocking sockets of the loopback interface. */
final class Sockets {
    static final int BUFFER_BYTES = 256 * 1024;

    private Sockets() {
    }

    static ServerSocketChannel listen() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
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
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
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
