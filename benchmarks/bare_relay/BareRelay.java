import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;

/**
 * The ceiling: source → relay → sink over two TCP hops by blocking NIO, with no engine. One thread per role; packets of a
 * fixed size are made, copied and verified one by one, exactly as the engine's relay packets (EXPERIMENTS: an 8-byte
 * sequence number, an 8-byte due time, payload cut from one fixed block of random bytes).
 *
 * <p>Two processes: {@code relay PACKET_BYTES} prints its port and relays one connection to the next;
 * {@code ends PACKET_BYTES RELAY_PORT WARM_UP_S SECONDS} is source and sink, and prints one line of JSON.
 */
public final class BareRelay {
    private static final int BUFFER_BYTES = 256 * 1024;
    private static final int HEADER_BYTES = 16;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int VERIFY_EVERY = 16;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final int packetBytes;
    /** Written by the sink's thread alone, read by main: opaque. */
    private volatile long received;
    private volatile boolean stopping;
    private volatile Throwable failure;

    private BareRelay(int packetBytes) {
        this.packetBytes = packetBytes;
    }

    public static void main(String[] args) throws Exception {
        BareRelay bare = new BareRelay(Integer.parseInt(args[1]));
        if (args[0].equals("relay")) {
            bare.relay();
        } else {
            bare.ends(Integer.parseInt(args[2]), Double.parseDouble(args[3]), Double.parseDouble(args[4]));
        }
    }

    private static ServerSocketChannel listen() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
        return server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static SocketChannel connect(int port) throws IOException {
        SocketChannel socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        socket.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    private static ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(BUFFER_BYTES);
    }

    private static void writeAll(SocketChannel socket, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            socket.write(from);
        }
        from.clear();
    }

    private void relay() throws IOException {
        try (ServerSocketChannel server = listen()) {
            System.out.println(server.socket().getLocalPort());
            try (SocketChannel in = server.accept(); SocketChannel out = server.accept()) {
                ByteBuffer from = buffer();
                ByteBuffer to = buffer();
                while (in.read(from) >= 0) {
                    copyPackets(from, to);
                    to.flip();
                    writeAll(out, to);
                }
            }
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

    private void ends(int relayPort, double warmUpS, double seconds) throws Exception {
        byte[] block = new byte[BLOCK_BYTES];
        new SplittableRandom(1).nextBytes(block);
        try (SocketChannel toRelay = connect(relayPort); SocketChannel fromRelay = connect(relayPort)) {
            Thread source = role("source", () -> source(toRelay, block));
            Thread sink = role("sink", () -> sink(fromRelay, block));
            Thread.sleep((long) (warmUpS * 1000));
            long before = received;
            long start = System.nanoTime();
            double cpuBefore = cpuSeconds();
            Thread.sleep((long) (seconds * 1000));
            long packets = received - before;
            double elapsed = (System.nanoTime() - start) / 1e9;
            double cpu = cpuSeconds() - cpuBefore;
            stopping = true;
            source.join();
            sink.join();
            if (failure != null) {
                throw new IllegalStateException("the bare relay failed", failure);
            }
            System.out.printf("{\"packets\": %d, \"measured_s\": %.3f, \"per_s\": %.0f, \"ends_cpu_s\": %.2f}%n",
                    packets, elapsed, packets / elapsed, cpu);
        }
    }

    private static double cpuSeconds() {
        return ((com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory
                .getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private interface Role {
        void run() throws IOException;
    }

    private Thread role(String name, Role role) {
        Thread thread = new Thread(() -> {
            try {
                role.run();
            } catch (IOException | RuntimeException e) {
                failure = e;
            }
        }, name);
        thread.start();
        return thread;
    }

    private void source(SocketChannel socket, byte[] block) throws IOException {
        ByteBuffer out = buffer();
        int payload = packetBytes - HEADER_BYTES;
        int wrap = BLOCK_BYTES - packetBytes;
        long sequence = 0;
        while (!stopping) {
            long due = System.nanoTime();
            int at = 0;
            for (; at + packetBytes <= BUFFER_BYTES; at += packetBytes) {
                LONG.set(out, at, sequence);
                LONG.set(out, at + 8, due);
                out.put(at + HEADER_BYTES, block, (int) (sequence * payload % wrap), payload);
                sequence++;
            }
            out.position(at).flip();
            writeAll(socket, out);
        }
        socket.shutdownOutput();
    }

    private void sink(SocketChannel socket, byte[] block) throws IOException {
        ByteBuffer in = buffer();
        byte[] payload = new byte[packetBytes - HEADER_BYTES];
        int wrap = BLOCK_BYTES - packetBytes;
        long expected = 0;
        while (socket.read(in) >= 0) {
            int end = in.position();
            int at = 0;
            for (; at + packetBytes <= end; at += packetBytes) {
                if ((long) LONG.get(in, at) != expected) {
                    throw new IllegalStateException("packet " + LONG.get(in, at) + " in place of " + expected);
                }
                if (expected % VERIFY_EVERY == 0) {
                    int offset = (int) (expected * payload.length % wrap);
                    in.get(at + HEADER_BYTES, payload);
                    if (!java.util.Arrays.equals(payload, 0, payload.length, block, offset, offset + payload.length)) {
                        throw new IllegalStateException("payload of packet " + expected + " differs");
                    }
                }
                expected++;
            }
            received = expected;
            in.flip().position(at);
            in.compact();
        }
    }
}
