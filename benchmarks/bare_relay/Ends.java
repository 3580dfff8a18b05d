import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Source and sink, a thread each, and what they measured. */
final class Ends {
    private static final double NANOS_PER_S = 1e9;
    private static final double TICKS_PER_S = 100;
    private static final long HIGHEST_NANOS = 100_000_000_000L;

    private final int packetBytes;
    /** Packets per second; 0 is flat out. */
    private final double perS;
    /** Of the sink's thread alone, until it has ended. */
    private final Histogram latency = new Histogram(HIGHEST_NANOS, 3);
    /** Written by the sink's thread, read by main. */
    private volatile long received;
    private volatile boolean measuring;
    private volatile boolean stopping;
    private volatile Throwable failure;

    Ends(int packetBytes, double perS) {
        this.packetBytes = packetBytes;
        this.perS = perS;
    }

    void run(int relayPort, long relayPid, double warmUpS, double seconds) throws Exception {
        try (SocketChannel toRelay = Sockets.connect(relayPort); SocketChannel fromRelay = Sockets.connect(relayPort)) {
            Thread sink = role("sink", () -> sink(fromRelay));
            Thread source = role("source", () -> source(toRelay));
            cpuSeconds(relayPid);  // its classes are loaded before it counts
            Thread.sleep((long) (warmUpS * 1000));
            measuring = true;
            long before = received;
            long start = System.nanoTime();
            double endsBefore = cpuSeconds();
            double relayBefore = cpuSeconds(relayPid);
            Thread.sleep((long) (seconds * 1000));
            long packets = received - before;
            double elapsed = (System.nanoTime() - start) / NANOS_PER_S;
            double endsCpu = cpuSeconds() - endsBefore;
            double relayCpu = cpuSeconds(relayPid) - relayBefore;
            measuring = false;
            stopping = true;
            source.join();
            sink.join();
            if (failure != null) {
                throw new IllegalStateException("the bare relay failed", failure);
            }
            System.out.printf(Locale.ROOT, "{\"packets\": %d, \"bytes\": %d, \"measured_s\": %.3f, \"per_s\": %.1f,"
                    + " \"ends_cpu_s\": %.3f, \"relay_cpu_s\": %.2f%s}%n", packets, packets * packetBytes, elapsed,
                    packets / elapsed, endsCpu, relayCpu, perS > 0 ? ", \"latency_ms\": " + latencies() : "");
        }
    }

    private String latencies() {
        return String.format(Locale.ROOT, "{\"p50\": %.4f, \"p95\": %.4f, \"p99\": %.4f, \"p999\": %.4f, \"max\": %.4f}",
                millis(50), millis(95), millis(99), millis(99.9), latency.getMaxValue() / 1e6);
    }

    private double millis(double percentile) {
        return latency.getValueAtPercentile(percentile) / 1e6;
    }

    private static double cpuSeconds() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime()
                / NANOS_PER_S;
    }

    /** Of another process. */
    private static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(words[11]) + Long.parseLong(words[12])) / TICKS_PER_S;
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

    private void source(SocketChannel socket) throws IOException {
        if (perS > 0) {
            atARate(socket);
        } else {
            flatOut(socket);
        }
        socket.shutdownOutput();
    }

    private void flatOut(SocketChannel socket) throws IOException {
        ByteBuffer out = Sockets.buffer();
        Packets packets = new Packets(packetBytes);
        long sequence = 0;
        while (!stopping) {
            long due = System.nanoTime();
            int at = 0;
            for (; at + packetBytes <= Sockets.BUFFER_BYTES; at += packetBytes) {
                packets.write(out, at, sequence++, due);
            }
            out.position(at).flip();
            Sockets.writeAll(socket, out);
        }
    }

    /** Packet i is due at start + i / rate, however late the ones before it left. */
    private void atARate(SocketChannel socket) throws IOException {
        ByteBuffer out = Sockets.buffer();
        Packets packets = new Packets(packetBytes);
        double apart = NANOS_PER_S / perS;
        long start = System.nanoTime();
        long sequence = 0;
        while (!stopping) {
            long now = System.nanoTime();
            int at = 0;
            long due = start + (long) (sequence * apart);
            for (; due - now <= 0 && at + packetBytes <= Sockets.BUFFER_BYTES; at += packetBytes) {
                packets.write(out, at, sequence++, due);
                due = start + (long) (sequence * apart);
            }
            if (at == 0) {
                LockSupport.parkNanos(due - now);
            } else {
                out.position(at).flip();
                Sockets.writeAll(socket, out);
            }
        }
    }

    private void sink(SocketChannel socket) throws IOException {
        ByteBuffer in = Sockets.buffer();
        Packets packets = new Packets(packetBytes);
        boolean timed = perS > 0;
        long expected = 0;
        while (socket.read(in) >= 0) {
            long now = timed ? System.nanoTime() : 0;
            boolean counts = timed && measuring;
            int end = in.position();
            int at = 0;
            for (; at + packetBytes <= end; at += packetBytes) {
                packets.verify(in, at, expected++);
                if (counts) {
                    latency.recordValue(Math.min(HIGHEST_NANOS, Math.max(0, now - Packets.due(in, at))));
                }
            }
            received = expected;
            in.flip().position(at);
            in.compact();
        }
    }
}
