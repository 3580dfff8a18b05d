import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Copies whole packets from one connection to the next. */
final class Relay {
    private static final int BUFFERS = 8;

    private final int packetBytes;

    Relay(int packetBytes) {
        this.packetBytes = packetBytes;
    }

    void inOneThread() throws IOException {
        try (ServerSocketChannel server = Sockets.listen()) {
            System.out.println(server.socket().getLocalPort());
            try (SocketChannel in = Sockets.accept(server); SocketChannel out = Sockets.accept(server)) {
                ByteBuffer from = Sockets.buffer();
                ByteBuffer to = Sockets.buffer();
                while (in.read(from) >= 0) {
                    copyPackets(from, to);
                    Sockets.writeAll(out, to.flip());
                }
            }
        }
    }

    /** The reader hands each buffer over to the writer, and gets it back through the other queue. */
    void inTwoThreads() throws IOException, InterruptedException {
        BlockingQueue<ByteBuffer> full = new ArrayBlockingQueue<>(BUFFERS);
        BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(BUFFERS);
        for (int k = 0; k < BUFFERS; k++) {
            free.add(Sockets.buffer());
        }
        try (ServerSocketChannel server = Sockets.listen()) {
            System.out.println(server.socket().getLocalPort());
            try (SocketChannel in = Sockets.accept(server); SocketChannel out = Sockets.accept(server)) {
                Thread writer = new Thread(() -> write(out, full, free), "writer");
                writer.setDaemon(true);
                writer.start();
                ByteBuffer from = Sockets.buffer();
                while (in.read(from) >= 0) {
                    ByteBuffer to = free.take();
                    copyPackets(from, to);
                    full.put(to.flip());
                }
                for (int k = 0; k < BUFFERS; k++) {
                    free.take();
                }
            }
        }
    }

    private static void write(SocketChannel out, BlockingQueue<ByteBuffer> full, BlockingQueue<ByteBuffer> free) {
        try {
            while (true) {
                ByteBuffer next = full.take();
                Sockets.writeAll(out, next);
                free.add(next);
            }
        } catch (IOException | InterruptedException e) {
            System.exit(1);
        }
    }

    private void copyPackets(ByteBuffer from, ByteBuffer to) {
        int end = from.position();
        int at = 0;
        for (; at + packetBytes <= end; at += packetBytes) {
            to.put(at, from, at, packetBytes);
        }
        to.position(at);
        from.flip().position(at);
        from.compact();
    }
}
