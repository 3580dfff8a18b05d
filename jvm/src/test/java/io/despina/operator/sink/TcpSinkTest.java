package io.despina.operator.sink;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.source.socket.SelfSigned;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.SocketClient;
import io.despina.socket.TlsFiles;
import io.despina.spec.FileFormat;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TcpSinkTest {
    /** Bytes of rows in the sink at most. */
    private static final int SINK_HOLDS = 1 << 16;

    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final long MS = 1_000_000;

    private final List<Long> waits = new ArrayList<>();
    private ServerSocket peer;
    private OperatorHarness sink;
    private TlsFiles tls;
    private boolean lengthPrefixed;
    private long writeMillis;
    private Map<String, String> options = Map.of();

    @BeforeEach
    void listen() throws IOException {
        peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        if (sink != null) {
            sink.close();
        }
    }

    private OperatorHarness.Setup setup() {
        return OperatorHarness.of(() -> new TcpSink(new TcpSinkOptions(
                new SocketClient.Address("127.0.0.1", peer.getLocalPort(), tls, writeMillis),
                new FileSinkOptions.Records(FileFormat.CSV, options, "UTC", true), text -> {
                    throw new IllegalStateException("every column is plain");
                }, lengthPrefixed, 300), new Retries.Waiting(this::sleep, RandomGenerator.of("L64X128MixRandom"))))
                .inputs(PAIR);
    }

    /** The job's clock moves in place of the thread's sleep. */
    private void sleep(long nanos) {
        waits.add(nanos);
        if (sink != null) {
            sink.now += nanos;
        }
    }

    private OperatorHarness sink() throws Exception {
        sink = setup().open();
        return sink;
    }

    private static <T> FutureTask<T> beside(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static List<String> lines(Socket from, int most) throws IOException {
        List<String> lines = new ArrayList<>();
        BufferedReader reader = new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8));
        for (String line = null; lines.size() < most && (line = reader.readLine()) != null;) {
            lines.add(line);
        }
        return lines;
    }

    private static List<List<Object>> rows(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> row(n, "x".repeat(100))).toList();
    }

    @Test
    void rowsLeaveAsLinesAndTheConnectionEndsInOrder() throws Exception {
        options = Map.of("header", "true");
        FutureTask<List<String>> read = beside(() -> lines(peer.accept(), Integer.MAX_VALUE));
        sink().feed(0, List.of(row(1, "a"), row(null, "bc"))).end().close();
        assertEquals(List.of("n,s", "1,a", ",bc"), read.get());
    }

    @Test
    void recordsBehindTheirLength() throws Exception {
        lengthPrefixed = true;
        FutureTask<List<String>> read = beside(() -> {
            DataInputStream in = new DataInputStream(peer.accept().getInputStream());
            List<String> records = new ArrayList<>();
            for (int k = 0; k < 2; k++) {
                records.add(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
            }
            assertEquals(-1, in.read());
            return records;
        });
        sink().feed(0, List.of(row(1, "a"), row(22, "bb"))).end().close();
        assertEquals(List.of("1,a", "22,bb"), read.get());
    }

    @Test
    void aPeerThatRefusesFailsTheJobInTheEnd() throws Exception {
        Socket accepted;
        FutureTask<Socket> accepting = beside(peer::accept);
        sink();
        accepted = accepting.get();
        peer.close();
        accepted.setSoLinger(true, 0);
        accepted.close();
        IOException refused = assertThrows(IOException.class, () -> {
            while (true) {
                sink.feed(0, rows(0, 10));
            }
        });
        assertEquals("cannot reach 127.0.0.1:" + peer.getLocalPort() + ": Connection refused; tried again for retry_for_ms=300",
                refused.getMessage());
        assertEquals(1, sink.warnings.size(), sink.warnings.toString());
        assertEquals(300 * MS, waits.stream().mapToLong(Long::longValue).sum());
        assertTrue(waits.get(0) >= 25 * MS && waits.get(0) < 50 * MS, waits.toString());
        assertTrue(waits.get(1) >= 50 * MS && waits.get(1) < 100 * MS, waits.toString());
    }

    @Test
    void afterABreakItConnectsAgainAndGoesOn() throws Exception {
        options = Map.of("header", "true");
        FutureTask<List<String>> first = beside(() -> {
            Socket socket = peer.accept();
            List<String> lines = lines(socket, 2);
            socket.setSoLinger(true, 0);
            socket.close();
            return lines;
        });
        sink().feed(0, rows(0, 1));
        assertEquals("n,s", first.get().get(0));
        FutureTask<List<String>> second = beside(() -> lines(peer.accept(), Integer.MAX_VALUE));
        int next = 1;
        while (sink.warnings.isEmpty()) {
            sink.feed(0, rows(next, next + 1));
            next++;
            Thread.sleep(1);
        }
        sink.feed(0, rows(next, next + 500)).end().close();
        List<String> lines = second.get();
        assertEquals("n,s", lines.get(0));
        List<String> last = lines.subList(lines.size() - 500, lines.size());
        int from = next;
        assertEquals(IntStream.range(from, from + 500).mapToObj(n -> n + "," + "x".repeat(100)).toList(), last);
    }

    @Test
    void aSlowPeerHoldsTheSinkBackAndGetsEveryRow() throws Exception {
        FutureTask<Socket> accepting = beside(peer::accept);
        sink();
        Socket accepted = accepting.get();
        int rows = 200_000;
        FutureTask<Void> feeding = beside(() -> {
            for (int n = 0; n < rows; n += 1000) {
                sink.feed(0, rows(n, n + 1000));
            }
            sink.close();
            return null;
        });
        while (accepted.getInputStream().available() <= SINK_HOLDS) {
            Thread.onSpinWait();        // the sink has sent more than it may hold
        }
        assertTrue(!feeding.isDone(), "20 MB fit into the sockets' own buffers");
        assertEquals(IntStream.range(0, rows).mapToObj(n -> n + "," + "x".repeat(100)).toList(),
                lines(accepted, Integer.MAX_VALUE));
        feeding.get();
    }

    @Test
    void anInterruptEndsAWriteThatNobodyReads() throws Exception {
        FutureTask<Socket> accepting = beside(peer::accept);
        sink();
        accepting.get();
        Thread[] feeder = new Thread[1];
        FutureTask<Exception> feeding = beside(() -> {
            feeder[0] = Thread.currentThread();
            return assertThrows(InterruptedException.class, () -> {
                while (true) {
                    sink.feed(0, rows(0, 1000));
                }
            });
        });
        while (feeder[0] == null || feeder[0].getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        feeder[0].interrupt();
        feeding.get();
    }

    @Test
    void aPeerThatTakesNothingForTooLongIsLeft() throws Exception {
        writeMillis = 50;
        FutureTask<Socket> accepting = beside(peer::accept);
        sink();
        Socket stuck = accepting.get();
        peer.close();
        IOException left = assertThrows(IOException.class, () -> {
            while (true) {
                sink.feed(0, rows(0, 1000));
            }
        });
        assertTrue(sink.warnings.get(0).endsWith("it took nothing for write_timeout_ms=50; trying again"),
                sink.warnings.get(0));
        assertTrue(left.getMessage().contains("Connection refused"), left.getMessage());
        stuck.close();
    }

    @Test
    void overTls(@TempDir Path folder) throws Exception {
        SelfSigned.in(folder);
        peer.close();
        peer = SelfSigned.trusting(folder).getServerSocketFactory().createServerSocket(0, 50,
                InetAddress.getLoopbackAddress());
        FutureTask<List<String>> read = beside(() -> lines(peer.accept(), Integer.MAX_VALUE));
        tls = new TlsFiles(null, null, folder.resolve("certificate.pem").toString());
        sink().feed(0, List.of(row(1, "a"))).end().close();
        assertEquals(List.of("1,a"), read.get());
    }
}
