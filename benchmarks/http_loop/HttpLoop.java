import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** Posts batches of rows over some connections, each of which waits for its answers; and a server by hand that answers them. */
public final class HttpLoop {
    private static final int ROWS = 100;
    private static final int CONNECTIONS = 32;
    private static final int BUFFER = 1 << 16;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final byte[] LENGTH = "content-length: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ANSWER = ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n"
            + "{\"rows\": 100, \"bad\":0}").getBytes(StandardCharsets.US_ASCII);

    private HttpLoop() {
    }

    /** {@code serve PORT}, or {@code post PORT ROWS_PER_S WARM_UP_S SECONDS}; 0 rows a second are as many as there can be. */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("serve")) {
            serve(port);
        } else {
            post(port, Double.parseDouble(arguments[2]), Double.parseDouble(arguments[3]), Double.parseDouble(arguments[4]));
        }
    }

    private static void serve(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(port, CONNECTIONS, InetAddress.getLoopbackAddress())) {
            while (true) {
                Socket client = server.accept();
                Thread thread = new Thread(() -> answer(client));
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    /** Reads each body, cuts its lines at their commas, and answers. */
    private static void answer(Socket client) {
        try (client; InputStream in = new BufferedInputStream(client.getInputStream(), BUFFER)) {
            client.setTcpNoDelay(true);
            OutputStream out = client.getOutputStream();
            byte[] line = new byte[BUFFER];
            for (int length = head(in, line); length >= 0; length = head(in, line)) {
                String body = new String(in.readNBytes(length), StandardCharsets.US_ASCII);
                long cells = body.lines().mapToLong(each -> each.split(",").length).sum();
                if (cells != 3L * ROWS) {
                    throw new IOException(cells + " cells in a batch");
                }
                out.write(ANSWER);
            }
        } catch (IOException gone) {
            System.err.println(gone);
        }
    }

    /** Reads a message up to its body. @return how many bytes the body has; -1 at the end of the stream */
    private static int head(InputStream in, byte[] line) throws IOException {
        int length = -1;
        int bytes = 0;
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next != '\n') {
                line[bytes++] = (byte) Character.toLowerCase(next);
                continue;
            }
            if (bytes <= 1) {
                return length;
            }
            if (Arrays.mismatch(line, LENGTH) == LENGTH.length) {
                length = Integer.parseInt(new String(line, LENGTH.length, bytes - LENGTH.length, StandardCharsets.US_ASCII)
                        .strip());
            }
            bytes = 0;
        }
        return -1;
    }

    /** Prints rows a second, and the middle and the 99th percentile of the milliseconds from a request's due time to its end. */
    private static void post(int port, double rowsPerSecond, double warmUp, double seconds) throws Exception {
        Socket first = connected(port);
        long start = System.nanoTime();
        long from = start + (long) (warmUp * 1e9);
        long to = from + (long) (seconds * 1e9);
        double everyNanos = rowsPerSecond == 0 ? 0 : CONNECTIONS * ROWS * 1e9 / rowsPerSecond;
        Client[] clients = new Client[CONNECTIONS];
        for (int k = 0; k < CONNECTIONS; k++) {
            clients[k] = new Client(k == 0 ? first : connected(port), start + (long) (everyNanos * k / CONNECTIONS), everyNanos,
                    from, to);
            clients[k].start();
        }
        LongStream all = LongStream.empty();
        for (Client each : clients) {
            each.join();
            if (each.failure != null) {
                throw each.failure;
            }
            all = LongStream.concat(all, Arrays.stream(each.took, 0, each.count));
        }
        long[] took = all.sorted().toArray();
        System.out.printf(Locale.ROOT, "%f %f %f%n", took.length * ROWS / seconds, took[took.length / 2] / 1e6,
                took[(int) (took.length * 0.99)] / 1e6);
    }

    private static Socket connected(int port) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                return socket;
            } catch (IOException nobody) {
                if (System.nanoTime() > deadline) {
                    throw nobody;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** One connection. */
    private static final class Client extends Thread {
        private final Socket socket;
        private final long start;
        private final double everyNanos;
        private final long from;
        private final long to;
        private long[] took = new long[1 << 16];
        private int count;
        private IOException failure;

        Client(Socket socket, long start, double everyNanos, long from, long to) {
            this.socket = socket;
            this.start = start;
            this.everyNanos = everyNanos;
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            try (socket; InputStream in = new BufferedInputStream(socket.getInputStream(), BUFFER)) {
                OutputStream out = socket.getOutputStream();
                byte[] request = request();
                byte[] line = new byte[BUFFER];
                for (long k = 0; System.nanoTime() < to; k++) {
                    long due = everyNanos == 0 ? System.nanoTime() : start + (long) (k * everyNanos);
                    while (System.nanoTime() < due) {
                        LockSupport.parkNanos(due - System.nanoTime());
                    }
                    out.write(request);
                    answered(in, line);
                    note(due, System.nanoTime());
                }
            } catch (IOException e) {
                failure = e;
            }
        }

        private static byte[] request() {
            StringBuilder body = new StringBuilder();
            for (int k = 0; k < ROWS; k++) {
                body.append("2026-11-30T12:00:").append(10 + k % 50).append(".000Z,device-").append(k).append(',').append(k)
                        .append(".5\n");
            }
            return ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII);
        }

        private static void answered(InputStream in, byte[] line) throws IOException {
            int length = head(in, line);
            String answer = length < 0 ? "" : new String(in.readNBytes(length), StandardCharsets.US_ASCII);
            if (!answer.startsWith("{\"rows\": " + ROWS + ",")) {
                throw new IOException("the answer is " + answer);
            }
        }

        private void note(long due, long now) {
            if (now >= from && now < to) {
                took = count == took.length ? Arrays.copyOf(took, 2 * count) : took;
                took[count++] = now - due;
            }
        }
    }
}
