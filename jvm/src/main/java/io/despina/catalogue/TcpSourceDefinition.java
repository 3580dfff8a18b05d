package io.despina.catalogue;

import static io.despina.descriptor.FieldSpec.or;

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
import io.despina.socket.Protocol;
import java.util.List;

/** {@code tcp_source}. */
public final class TcpSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("tcp_source", Family.SOURCES,
            "Listens on a port, and reads the records that clients send; docs/sockets.md says more."
            + "\n- It ends when the job is stopped. What it has received by then is still processed."
            + "\n- While the graph is busy it reads nothing, so clients wait."
            + "\n- A socket cannot be read again: if a job that keeps no state fails, what was received and had not left "
            + "the graph is lost. A job that keeps its state has it in a log."
            + "\n- A record that is too long, or that a broken connection cut off, is a bad record; `reason` names the "
            + "client and the record's number. If a client sends so much of a record without its end that no memory is left, "
            + "that is a bad record too, and the client is disconnected."
            + "\n- Under `on_error: fail` any client's bad record fails the job.",
            List.of(), List.of("out", "errors"), List.of(
                    SocketFields.HOST, SocketFields.PORT, SocketFields.ANY_FORMAT, SocketFields.READ_OPTIONS, SocketFields.SCHEMA,
                    FormatOptions.TIMESTAMP_UNIT,
                    or("framing", SocketFields.FRAMING, "\"lines\"", "Where a record ends. The text that a client sends behind "
                            + "its last line end is a record when it closes the connection."),
                    SocketFields.CLIENTS,
                    SocketFields.recordBytes("A longer record is a bad record. With `length_prefixed` its client is sent away."),
                    SocketFields.BUFFER, SocketFields.SPOOL, SocketFields.IDLE, SocketFields.LISTENER_TLS), """
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
        RecordFormat.Read records = SocketFields.records(context);
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
