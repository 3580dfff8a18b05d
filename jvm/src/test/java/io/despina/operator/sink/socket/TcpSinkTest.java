package io.despina.operator.sink.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Retries;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.SinkPeer.Script;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.SocketClient;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link SocketSinksTest} does not hold of all. */
class TcpSinkTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));

    private SinkPeer peer;
    private OperatorHarness sink;

    private void open(SinkSubject subject, Script first) throws Exception {
        peer = new SinkPeer(subject::take, null);
        peer.scripts.add(first);
        sink = OperatorHarness.of(() -> subject.sink(peer.port(), SinkSubject.Sent.PLAIN.written(Map.of("header", "true"), null),
                new Retries.Waiting(nanos -> { }, RandomGenerator.getDefault()))).inputs(PAIR).open();
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        sink.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"LINES", "LENGTH_PREFIXED"})
    void rowsLeaveBehindAHeaderAndTheConnectionEndsInOrder(SinkSubject subject) throws Exception {
        open(subject, Script.READS);
        sink.feed(0, List.of(row(1, "a"), row(null, "bc"))).end().close();
        peer.await(peer::isOver);
        assertEquals(List.of(List.of("n,s", "1,a", ",bc")), peer.rows());
    }

    @Test
    void recordsThatAreNoLinesAreSentAsTheyAre() throws Exception {
        peer = new SinkPeer(SinkSubject.LENGTH_PREFIXED::take, null);
        peer.scripts.add(Script.READS);
        SocketClient.Address address = new SocketClient.Address("127.0.0.1", peer.port(), null, 0);
        sink = OperatorHarness.of(() -> new TcpSink(new TcpSinkOptions(address,
                new RecordFormat.Write(FileFormat.AVRO, Map.of(), "UTC", true), text -> null, true, 0))).inputs(PAIR).open();
        sink.feed(0, List.of(row(1, "a"), row(null, "\n"))).end().close();
        peer.await(peer::isOver);
        assertEquals(List.of(List.of("\0\2\0\2a", "\2\0\2\n")), peer.rows());
    }

    @ParameterizedTest
    @EnumSource(names = {"LINES", "LENGTH_PREFIXED"})
    void eachConnectionBeginsWithTheHeader(SinkSubject subject) throws Exception {
        open(subject, Script.CUTS);
        while (sink.warnings.isEmpty()) {
            sink.feed(0, List.of(row(1, "a")));
        }
        sink.end().close();
        peer.await(() -> peer.rows().size() == 2 && peer.lastRows().size() > 1);
        assertEquals(List.of("n,s", "1,a"), peer.lastRows().subList(0, 2));
        assertTrue(sink.warnings.get(0).startsWith("lost the connection to 127.0.0.1:" + peer.port()), sink.warnings.get(0));
    }
}
