package io.despina.operator.source.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.despina.socket.HttpOptions;
import io.despina.socket.Protocol;
import io.despina.socket.SocketListener;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for every source that listens. With {@code -Pclients=N} as many come at once, from a process of their own. */
class SocketSourcesTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final int RECORD_BYTES = 1000;
    private static final long BUFFER_BYTES = 1 << 16;
    /** So many requests fit the buffer, with the longest rows; HTTP answers 429 to more. */
    private static final int SOME = 500;
    private static final Integer CLIENTS_ASKED = Integer.getInteger("despina.clients");
    private static final int CLIENTS = CLIENTS_ASKED == null ? 200 : CLIENTS_ASKED;

    enum SocketSubject {
        LINES(Protocol.records(Framing.LINES, RECORD_BYTES), Framing.LINES) {
            @Override
            void send(Client client, String row) throws IOException {
                client.send(row + "\n");
            }
        },
        LENGTH_PREFIXED(Protocol.records(Framing.LENGTH_PREFIXED, RECORD_BYTES), Framing.LENGTH_PREFIXED) {
            @Override
            void send(Client client, String row) throws IOException {
                client.send(ByteBuffer.allocate(4 + row.length()).putInt(row.length()).put(row.getBytes(StandardCharsets.UTF_8))
                        .array());
            }
        },
        HTTP(Protocol.http(new HttpOptions("/", RECORD_BYTES, null)), null) {
            @Override
            void send(Client client, String row) throws IOException {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + row.length() + "\r\n\r\n" + row);
            }
        },
        WEB_SOCKET(Protocol.webSocket(new HttpOptions("/", RECORD_BYTES, null)), Framing.WHOLE) {
            @Override
            void open(Client client) throws IOException {
                client.send("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
                InputStream in = client.socket.getInputStream();
                for (String head = ""; !head.endsWith("\r\n\r\n");) {
                    head += (char) in.read();
                }
            }

            @Override
            void send(Client client, String row) throws IOException {
                byte[] text = row.getBytes(StandardCharsets.UTF_8);
                client.send(ByteBuffer.allocate(6 + text.length).put((byte) 0x81).put((byte) (0x80 | text.length)).putInt(0)
                        .put(text).array());
            }
        };

        final Protocol protocol;
        final Framing framing;

        SocketSubject(Protocol protocol, Framing framing) {
            this.protocol = protocol;
            this.framing = framing;
        }

        void open(Client client) throws IOException {
        }

        abstract void send(Client client, String row) throws IOException;
    }

    private final List<Client> clients = new ArrayList<>();
    private OperatorHarness source;
    private SocketListener listener;

    private Source made(SocketSubject subject, long idleMillis, int port) {
        SocketSourceOptions options = new SocketSourceOptions(
                new RecordFormat.Read(FileFormat.CSV, Map.of(), PAIR, 2, false, Set.of(),
                "UTC", true), null, text -> (line, from, to, out) -> new RecordParser.Refusal("no number",
                        new String(line, from, to - from, StandardCharsets.UTF_8), 1), subject.framing,
                new Bounds(RECORD_BYTES, BUFFER_BYTES, 0), (inflow, context) -> {
                    listener = new SocketListener(new SocketListener.Options("127.0.0.1", port, CLIENTS + 10, idleMillis, null),
                            subject.protocol, inflow, context::warn);
                    return listener;
                });
        return subject == SocketSubject.HTTP ? new HttpSource(options) : new SocketSource(options);
    }

    private void open(SocketSubject subject, long idleMillis) throws Exception {
        source = OperatorHarness.of(() -> made(subject, idleMillis, 0)).outputs(PAIR).room(1 << 16, 2).skippingBadRecords()
                .open();
    }

    private Client client(SocketSubject subject) throws IOException {
        Client client = new Client(listener.port());
        clients.add(client);
        subject.open(client);
        return client;
    }

    @AfterEach
    void close() throws IOException {
        for (Client client : clients) {
            client.close();
        }
        if (source != null) {
            source.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyClientsAtOnce(SocketSubject subject) throws Exception {
        open(subject, 0);
        Set<Object> sent = new TreeSet<>();
        try (Crowd crowd = CLIENTS_ASKED == null ? new Crowd.Here(subject, listener.port())
                : new Crowd.Elsewhere(subject, listener.port())) {
            crowd.connect(CLIENTS);
            for (int round = 0; round < 2; round++) {
                for (int from = 0; from < CLIENTS; from += SOME) {
                    int to = Math.min(from + SOME, CLIENTS);
                    crowd.send(from, to, round);
                    for (int k = from; k < to; k++) {
                        sent.add(k + " " + round);
                    }
                    Client.produceRows(source, round * CLIENTS + to);
                }
            }
            assertEquals(CLIENTS, listener.clients());
        }
        assertEquals(List.of(), source.badRecords);
        assertEquals(sent, new TreeSet<>(source.rows(0).stream().map(row -> row.get(0) + " " + row.get(1)).toList()));
        Client.produceUntil(source, () -> listener.clients() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatHasVanishedIsSentAway(SocketSubject subject) throws Exception {
        open(subject, 30);
        Client silent = new Client(listener.port());
        clients.add(silent);
        Client within = client(subject);
        within.send(subject == SocketSubject.HTTP ? "POST / HTTP/1.1\r\n" : subject == SocketSubject.WEB_SOCKET ? "\u0001" : "1");
        assertTrue(silent.isSentAway());
        Client.produceUntil(source, () -> listener.clients() == 0);
        assertEquals(List.of(), source.rows(0));
    }

    @ParameterizedTest
    @EnumSource
    void aWrongRowIsABadRecordOfItsClient(SocketSubject subject) throws Exception {
        open(subject, 0);
        Client client = client(subject);
        subject.send(client, "x,a");
        Client.produceUntil(source, () -> !source.badRecords.isEmpty());
        subject.send(client(subject), "1,b");
        Client.produceRows(source, 1);
        assertEquals(List.of(client.name() + ":1: no number: x,a"), source.badRecords);
    }

    @ParameterizedTest
    @EnumSource
    void rubbishDisturbsNobodyElse(SocketSubject subject) throws Exception {
        open(subject, 0);
        Client good = client(subject);
        Random random = new Random(9);
        for (int k = 0; k < 30; k++) {
            byte[] rubbish = new byte[1 + random.nextInt(2000)];
            random.nextBytes(rubbish);
            try (Client bad = new Client(listener.port())) {
                bad.send(rubbish);
            }
            source.produce();
        }
        Client.produceUntil(source, () -> listener.clients() == 1);
        int rows = source.rows(0).size();
        subject.send(good, "1,b");
        Client.produceRows(source, rows + 1);
    }

    @ParameterizedTest
    @EnumSource
    void aStopEndsItWhileClientsAreConnected(SocketSubject subject) throws Exception {
        open(subject, 0);
        Client client = client(subject);
        subject.send(client, "1,a");
        while (source.wakes.get() == 0) {
            Thread.sleep(1);
        }
        assertTrue(((Source) source.operator()).stop());
        source.produceAll();
        assertEquals(1, source.rows(0).size());
        source.close();
        while (!client.isSentAway()) {      // answers come first
            assertEquals(1, source.rows(0).size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPortInUseIsAnErrorInWords(SocketSubject subject) throws Exception {
        open(subject, 0);
        int port = listener.port();
        IOException refused = assertThrows(IOException.class,
                () -> OperatorHarness.of(() -> made(subject, 0, port)).outputs(PAIR).open());
        assertTrue(refused.getMessage().startsWith("cannot listen on 127.0.0.1:" + port + " (Address already in use)"),
                refused.getMessage());
    }
}
