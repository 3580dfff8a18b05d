package io.despina.catalogue;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.SocketSource;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.socket.Framing;
import io.despina.socket.HttpOptions;
import io.despina.socket.Protocol;
import java.util.List;

/** {@code websocket_source}. */
public final class WebSocketSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("websocket_source", Family.SOURCES,
            "Listens on a port for WebSockets. Each message of a client, text or binary, is a record; an empty message is "
            + "none. With format json a message may be an array of rows. docs/sockets.md says more."
            + "\n- As with a `tcp_source`: it ends when the job is stopped, rows in the graph are lost if the job fails, and "
            + "bad records go to `on_error`."
            + "\n- A client whose message is too long is disconnected."
            + "\n- Beside `buffer_bytes`, each client may take `max_record_bytes` for a frame that has come in part.",
            List.of(), List.of("out", "errors"), List.of(
                    SocketFields.HOST, SocketFields.PORT, SocketFields.PATH, SocketFields.FORMAT, SocketFields.READ_OPTIONS,
                    SocketFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT, SocketFields.TOKEN_ENV, SocketFields.TOKEN_FILE,
                    SocketFields.CLIENTS,
                    SocketFields.recordBytes("A longer message is a bad record, and its client is sent away."),
                    SocketFields.BUFFER, SocketFields.SPOOL, SocketFields.IDLE, SocketFields.LISTENER_TLS), """
                "readings": {
                  "type": "websocket_source",
                  "port": 8080,
                  "path": "/readings",
                  "format": "json",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "on_error": {"type": "skip"}
                }
                """);

    WebSocketSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        RecordFormat.Read records = SocketFields.records(context);
        Bounds bounds = SocketFields.bounds(context, "max_record_bytes");
        if (records == null || bounds == null || !SocketFields.hasOneToken(context)) {
            return null;
        }
        HttpOptions http = ListeningSpec.http(context, bounds.recordBytes());
        return new ListeningSpec(SocketFields.listening(context), records, Framing.WHOLE, bounds,
                new ListeningSpec.Speaks(() -> Protocol.webSocket(http), SocketSource::new)).result(context);
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
