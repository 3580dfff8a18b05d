package io.despina.operator.sink.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.operator.OperatorHarness;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@link SocketSinksTest} does not hold of all. */
class WebSocketSinkTest {
    @Test
    void anUnknownHostIsSaidInWords() {
        String url = "ws://no.such.host.invalid:1";
        IOException alone = assertThrows(IOException.class, () -> OperatorHarness.of(() -> new WebSocketSink(
                new WebSocketSinkOptions(new WebSocketSinkOptions.To(url, null, null),
                        new RecordFormat.Write(FileFormat.TEXT, Map.of(), "UTC", true), text -> null,
                        new WebSocketSinkOptions.Times(0, 0))))
                .inputs(Schema.of(new Column("value", Simple.STRING, true))).open());
        assertEquals("cannot reach " + url + ": the host is unknown; tried again for retry_for_ms=0", alone.getMessage());
    }
}
