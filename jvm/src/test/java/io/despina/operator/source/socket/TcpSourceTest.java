package io.despina.operator.source.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.RecordParser;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.Framing;
import io.despina.socket.Protocol;
import io.despina.socket.SocketListener;
import io.despina.socket.TlsFiles;
import io.despina.socket.Transport;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TcpSourceTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final Schema LINE = Schema.of(new Column("value", Simple.STRING, true));
    private static final int RECORD_BYTES = 1000;
    private static final long BUFFER_BYTES = 1 << 16;

    private Framing framing = Framing.LINES;
    private RecordFormat.Read records = text();
    private int maxClients = 1000;
    private long idleMillis;
    private TlsFiles tls;
    private OperatorHarness source;

    private static RecordFormat.Read text() {
        return new RecordFormat.Read(FileFormat.TEXT, Map.of(), LINE, 0, false, Set.of(), "UTC", true);
    }

    private static RecordFormat.Read csv(Map<String, String> options) {
        return new RecordFormat.Read(FileFormat.CSV, options, PAIR, PAIR.size(), false, Set.of(), "UTC", true);
    }

    @Test
    void recordsOfBytesStandBehindTheirLengths() throws Exception {
        framing = Framing.LENGTH_PREFIXED;
        records = new RecordFormat.Read(FileFormat.RAW, Map.of(), Schema.of(new Column("value", Simple.BINARY, true)), 0, false,
                Set.of(), "UTC", true);
        Client client = client();
        client.send("\0\0\0\3a\n\r\0\0\0\0\0\0\0\1\0");
        Client.produceRows(source, 3);
        assertEquals(List.of(ByteBuffer.wrap(new byte[] {'a', '\n', '\r'}), ByteBuffer.wrap(new byte[0]),
                ByteBuffer.wrap(new byte[1])), values(0));
        client.close();
    }

    private static RecordParser refusing(Object options) {
        return (line, from, to, out) -> {
            String text = new String(line, from, to - from, StandardCharsets.UTF_8);
            return new RecordParser.Refusal("no number", text, 1);
        };
    }

    private SocketSource tested(int port) {
        return tested("127.0.0.1", port);
    }

    private SocketSource tested(String host, int port) {
        return new SocketSource(new SocketSourceOptions(records, null, TcpSourceTest::refusing, framing,
                new Bounds(RECORD_BYTES, BUFFER_BYTES, 0), (inflow, context) -> new SocketListener(
                        new SocketListener.Options(host, port, maxClients, idleMillis, tls),
                        Protocol.records(framing, RECORD_BYTES), inflow, context::warn)));
    }

    private Client client() throws Exception {
        if (source == null) {
            source = OperatorHarness.of(() -> tested(0)).outputs(records.schema()).room(1 << 16, 2)
                    .skippingBadRecords().open();
        }
        return new Client(listener().port());
    }

    private SocketListener listener() {
        return (SocketListener) ((SocketSource) source.operator()).endpoint();
    }

    private List<Object> values(int column) {
        return source.rows(0).stream().map(each -> each.get(column)).toList();
    }

    @AfterEach
    void close() throws IOException {
        if (source != null) {
            source.close();
        }
    }

    @Test
    void linesOfManyClientsKeepTheirOrder() throws Exception {
        int lines = 300;
        List<Client> clients = new ArrayList<>();
        for (int k = 0; k < 20; k++) {
            clients.add(client());
        }
        for (int line = 0; line < lines; line++) {
            for (int k = 0; k < clients.size(); k++) {
                clients.get(k).send(k + " " + line + (line % 2 == 0 ? "\n" : "\r\n"));
            }
        }
        Client.produceRows(source, lines * clients.size());
        for (int k = 0; k < clients.size(); k++) {
            String mine = k + " ";
            assertEquals(IntStream.range(0, lines).mapToObj(line -> mine + line).toList(),
                    values(0).stream().filter(value -> value.toString().startsWith(mine)).toList());
            clients.get(k).close();
        }
        Client.produceUntil(source, () -> listener().clients() == 0);
    }

    @Test
    void aBadRecordNamesItsClientAndItsNumber() throws Exception {
        records = csv(Map.of());
        try (Client client = client()) {
            client.send("1,a\n\nx,b\n2,c,d\n3,e\n");
            Client.produceRows(source, 2);
            assertEquals(List.of(1, 3), values(0));
            assertEquals(List.of(client.name() + ":3: no number: x,b",
                    client.name() + ":4: 3 columns instead of 2; two records may have become one line: 2,c,d"),
                    source.badRecords);
        }
    }

    @Test
    void recordsBehindTheirLengthMayHoldLineEndsAndComeInPieces() throws Exception {
        framing = Framing.LENGTH_PREFIXED;
        try (Client client = client()) {
            for (String text : List.of("a\nb", "", "c".repeat(RECORD_BYTES))) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                byte[] framed = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array();
                for (byte each : framed) {
                    client.send(new byte[] {each});
                }
            }
            Client.produceRows(source, 3);
            assertEquals(List.of("a\nb", "", "c".repeat(RECORD_BYTES)), values(0));
            client.send("\0\0\0\1d\0\0\0\7cut");
        }
        Client.produceUntil(source, () -> source.badRecords.size() == 1);
        assertTrue(source.badRecords.get(0).contains("ended within a record: \0\0\0\7cut"), source.badRecords.get(0));
        assertEquals("d", values(0).get(3));
    }

    @Test
    void aLengthBeyondTheLimitSendsTheClientAway() throws Exception {
        framing = Framing.LENGTH_PREFIXED;
        for (String sent : List.of("GET / HTTP/1.1\r\n", "\0\0\0\1aGET /")) {
            try (Client client = client()) {
                client.send(sent);
                assertTrue(client.isSentAway());
            }
        }
        Client.produceUntil(source, () -> source.badRecords.size() == 2);
        assertTrue(source.badRecords.get(0).contains("longer than max_record_bytes=1000: GET /"), source.badRecords.get(0));
        assertEquals(List.of("a"), values(0));
    }

    @Test
    void aLineThatIsTooLongIsABadRecordAndTheNextIsRead() throws Exception {
        try (Client client = client()) {
            client.send("x".repeat(RECORD_BYTES + 1) + "\nafter\n" + "y".repeat(5 * RECORD_BYTES));
            Client.produceUntil(source, () -> source.badRecords.size() == 2);
            client.send("y".repeat(100_000) + "\n" + "z".repeat(RECORD_BYTES) + "\n");
            Client.produceRows(source, 2);
        }
        assertEquals(List.of("after", "z".repeat(RECORD_BYTES)), values(0));
        assertEquals(2, source.badRecords.size());
        assertTrue(source.badRecords.get(1).contains("longer than max_record_bytes=1000: yyy"), source.badRecords.get(1));
    }

    @Test
    void theTextBeforeAnOrderlyEndIsARecordAndBeforeACutItIsNone() throws Exception {
        try (Client client = client()) {
            client.send("a\nb");
        }
        Client.produceRows(source, 2);
        Client client = client();
        client.send("c\nd");
        Client.produceRows(source, 3);
        client.cut();
        Client.produceUntil(source, () -> !source.badRecords.isEmpty());
        assertEquals(List.of("a", "b", "c"), values(0));
        assertTrue(source.badRecords.get(0).endsWith("the connection was cut within a record: d"), source.badRecords.get(0));
    }

    @Test
    void aHeaderIsEachClientsOwnAndAWrongOneSendsItAway() throws Exception {
        records = csv(Map.of("header", "true"));
        try (Client right = client(); Client wrong = client()) {
            right.send("n,s\n");
            wrong.send("x,y\n7,lost\n");
            Client.produceUntil(source, () -> !source.badRecords.isEmpty());
            assertTrue(wrong.isSentAway());
            right.send("1,a\n");
            Client.produceRows(source, 1);
        }
        assertEquals(List.of(row(1, "a")), source.rows(0));
        assertEquals(1, source.badRecords.size());
        assertTrue(source.badRecords.get(0).contains("the CSV header does not fit the schema"), source.badRecords.get(0));
    }

    @Test
    void whileTheGraphIsBusySocketsAreNotReadAndMemoryIsBounded() throws Exception {
        List<Thread> senders = new ArrayList<>();
        int lines = 20_000;
        String line = "0123456789".repeat(90) + "\n";
        for (int k = 0; k < 2; k++) {
            Client client = client();
            client.socket.setSendBufferSize(1 << 13);
            Thread sender = new Thread(() -> {
                try (client) {
                    for (int n = 0; n < lines; n++) {
                        client.send(line);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            sender.start();
            senders.add(sender);
        }
        SocketSource tested = (SocketSource) source.operator();
        while (tested.heldBytes() < BUFFER_BYTES) {
            Thread.sleep(1);
        }
        Thread.sleep(50);
        long held = tested.heldBytes();
        assertTrue(held < 3 * BUFFER_BYTES, held + " bytes wait");
        assertTrue(senders.stream().allMatch(Thread::isAlive), "18 MB fit into a socket's own buffers");
        assertEquals(2 * BUFFER_BYTES, source.stateBytes);
        Client.produceRows(source, 2 * lines);
        for (Thread sender : senders) {
            sender.join();
        }
        assertEquals(List.of(), source.badRecords);
    }

    @Test
    void unfinishedRecordsOfManyClientsAreBoundedTogether() throws Exception {
        List<Client> clients = new ArrayList<>();
        for (int k = 0; k < 90; k++) {
            clients.add(client().send("x".repeat(RECORD_BYTES)));
        }
        Client.produceUntil(source, () -> !source.badRecords.isEmpty());
        assertTrue(source.badRecords.get(0).contains("there is no memory for its record"), source.badRecords.get(0));
        for (Client client : clients) {
            client.close();
        }
        Client.produceUntil(source, () -> listener().clients() == 0);
        // a client is no longer counted when its connection closes, and its records are let go right behind that
        Client.produceUntil(source, () -> ((SocketSource) source.operator()).heldBytes() == 0);
    }

    @Test
    void rubbishLeavesTheSourceToOthers() throws Exception {
        records = csv(Map.of());
        Random random = new Random(5);
        for (int k = 0; k < 20; k++) {
            byte[] rubbish = new byte[1 + random.nextInt(5000)];
            random.nextBytes(rubbish);
            try (Client client = client()) {
                client.send(rubbish);
            }
            source.produce();
        }
        Client.produceUntil(source, () -> listener().clients() == 0);
        int rows = source.rows(0).size();
        try (Client client = client()) {
            client.send("1,a\n");
            Client.produceRows(source, rows + 1);
        }
        assertFalse(source.badRecords.isEmpty());
        assertEquals(row(1, "a"), source.rows(0).get(rows));
    }

    @Test
    void aStopLetsGoOnWhatHasArrived() throws Exception {
        try (Client client = client()) {
            client.send("a\nb\n");
            Client.produceRows(source, 2);
            client.send("c\nd\n");
            while (((SocketSource) source.operator()).heldBytes() == 0) {
                Thread.sleep(1);
            }
            assertTrue(((Source) source.operator()).stop());
            source.produceAll();
            assertEquals(List.of("a", "b", "c", "d"), values(0));
            assertThrows(IOException.class, () -> {
                while (true) {
                    new Client(listener().port()).close();
                }
            });
            source.close();
            assertTrue(client.isSentAway());
        }
    }

    @Test
    void aPortInUseIsAnErrorInWords() throws Exception {
        try (Client client = client()) {
            client.send("a\n");
            int port = listener().port();
            IOException refused = assertThrows(IOException.class,
                    () -> OperatorHarness.of(() -> tested(port)).outputs(LINE).open());
            assertEquals("cannot listen on 127.0.0.1:" + port + " (Address already in use): another process may use the port;"
                    + " take another, or 0 for any free one", refused.getMessage());
            assertEquals(List.of("listens on 127.0.0.1:" + port), source.told);
            assertEquals(List.of(), source.warnings);
        }
    }

    @Test
    void aHostThatIsNoneOfThisMachineIsAnErrorInWords() {
        String advice = "take an address of this machine, such as 127.0.0.1";
        assertEquals("cannot listen on nobody:7000 (the host is unknown): " + advice,
                Transport.cannotListen("nobody", 7000, new UnresolvedAddressException()));
        IOException unknown = assertThrows(IOException.class,
                () -> OperatorHarness.of(() -> tested("no.such.host.invalid", 0)).outputs(LINE).open());
        assertEquals("cannot listen on no.such.host.invalid:0 (the host is unknown): " + advice, unknown.getMessage());
        IOException foreign = assertThrows(IOException.class,
                () -> OperatorHarness.of(() -> tested("192.0.2.1", 0)).outputs(LINE).open());
        assertEquals("cannot listen on 192.0.2.1:0 (Cannot assign requested address): " + advice, foreign.getMessage());
    }

    @Test
    void clientsBeyondTheLimitAreSentAway() throws Exception {
        maxClients = 2;
        try (Client first = client(); Client second = client()) {
            Client.produceUntil(source, () -> listener().clients() == 2);
            assertTrue(client().isSentAway());
            assertTrue(client().isSentAway());
            first.send("a\n");
            second.send("b\n");
            Client.produceRows(source, 2);
        }
        assertEquals(1, source.warnings.size());
        assertTrue(source.warnings.get(0).startsWith("more than max_clients=2"), source.warnings.get(0));
    }

    @Test
    void aSilentClientIsSentAway() throws Exception {
        idleMillis = 20;
        try (Client silent = client(); Client within = client()) {
            within.send("part");
            assertTrue(silent.isSentAway());
            assertTrue(within.isSentAway());
        }
        Client.produceUntil(source, () -> !source.badRecords.isEmpty());
        assertTrue(source.badRecords.get(0).endsWith("silent for idle_timeout_ms within a record: part"),
                source.badRecords.get(0));
    }

    @Test
    void overTls(@TempDir Path folder) throws Exception {
        SelfSigned.in(folder);
        tls = new TlsFiles(folder.resolve("certificate.pem").toString(), folder.resolve("key.pem").toString(), null);
        try (Client plain = client()) {
            plain.send("in the clear\n");
            assertTrue(plain.isSentAway());
        }
        try (Client client = new Client(SelfSigned.trusting(folder).getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), listener().port()))) {
            client.send("a\nb\n");
            Client.produceRows(source, 2);
        }
        assertEquals(List.of("a", "b"), values(0));
        tls = new TlsFiles(folder.resolve("none.pem").toString(), folder.resolve("key.pem").toString(), null);
        IOException missing = assertThrows(IOException.class, () -> OperatorHarness.of(() -> tested(0)).outputs(LINE).open());
        assertEquals("the files of `tls` cannot be used: there is no " + folder.resolve("none.pem"), missing.getMessage());
    }
}
