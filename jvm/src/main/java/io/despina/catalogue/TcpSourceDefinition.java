package io.despina.catalogue;

import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.OperatorType;
import io.despina.operator.source.file.FileSourceOptions.Records;
import io.despina.operator.source.socket.SocketSource;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.socket.Framing;
import io.despina.socket.Protocol;
import java.util.List;

/** {@code tcp_source}. */
public final class TcpSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("tcp_source",
            "Listens on a port, and reads the records that clients send. It ends when the job is stopped: what it has received "
            + "by then goes on. While the graph is busy it reads nothing, so clients wait. A socket cannot be read again: "
            + "what was received and had not left the graph is lost when the job fails. A record that is cut off by a broken "
            + "connection or is too long is a bad record; `reason` names the client and the record's number. So is a record of "
            + "which clients have sent so much without its end that no memory is left; that client is sent away. Under "
            + "`on_error: fail` any client's bad record fails the job. See [docs/sockets.md](sockets.md).",
            List.of(), List.of("out", "errors"), List.of(
                    SocketFields.HOST, SocketFields.PORT, SocketFields.FORMAT, SocketFields.READ_OPTIONS, SocketFields.SCHEMA,
                    or("framing", SocketFields.FRAMING, "\"lines\"", "Where a record ends. The text that a client sends behind "
                            + "its last line end is a record when it closes the connection."),
                    SocketFields.CLIENTS,
                    SocketFields.recordBytes("A longer record is a bad record. With `length_prefixed` its client is sent away."),
                    SocketFields.BUFFER, SocketFields.IDLE, SocketFields.LISTENER_TLS), """
                "readings": {
                  "type": "tcp_source",
                  "port": 7000,
                  "format": "csv",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "on_error": {"type": "skip"},
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["device"]}
                }
                """);

    TcpSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Records records = SocketFields.records(context);
        Bounds bounds = SocketFields.bounds(context, "max_record_bytes");
        if (records == null || bounds == null) {
            return null;
        }
        Framing framing = context.fields().constant("framing", Framing.class);
        return new ListeningSpec(SocketFields.listening(context), records, framing, bounds, new ListeningSpec.Speaks(
                () -> Protocol.records(framing, bounds.recordBytes()), SocketSource::new)).result(context);
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
