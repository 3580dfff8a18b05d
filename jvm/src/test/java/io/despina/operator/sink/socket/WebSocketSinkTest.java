package io.despina.operator.sink.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.operator.OperatorHarness;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@link SocketSinksTest} does not hold of all. */
class WebSocketSinkTest {
    private static OperatorHarness.Setup sink(String url, FileFormat format, Simple type) {
        return OperatorHarness.of(() -> new WebSocketSink(new WebSocketSinkOptions(new WebSocketSinkOptions.To(url, null, null),
                new RecordFormat.Write(format, Map.of(), "UTC", true), text -> null, new WebSocketSinkOptions.Times(0, 0))))
                .inputs(Schema.of(new Column("value", type, true)));
    }

    @Test
    void rowsThatAreNoTextAreBinaryMessages() throws Exception {
        try (SinkPeer peer = new SinkPeer(SinkSubject.WEB_SOCKET::take, null)) {
            peer.scripts.add(SinkPeer.Script.READS);
            OperatorHarness sink = sink("ws://127.0.0.1:" + peer.port(), FileFormat.RAW, Simple.BINARY).open();
            sink.feed(0, List.of(row(ByteBuffer.wrap(new byte[] {0, 10, -1})), row(ByteBuffer.wrap(new byte[0])))).end().close();
            peer.await(peer::isOver);
            assertEquals(List.of(List.of("000aff", "")), peer.rows());
        }
    }

    @Test
    void anUnknownHostIsSaidInWords() {
        String url = "ws://no.such.host.invalid:1";
        IOException alone = assertThrows(IOException.class, () -> sink(url, FileFormat.TEXT, Simple.STRING).open());
        assertEquals("cannot reach " + url + ": the host is unknown; tried again for retry_for_ms=0", alone.getMessage());
    }
}
