package io.despina.catalogue;

import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.HttpSource;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.socket.Framing;
import io.despina.socket.HttpOptions;
import io.despina.socket.Protocol;
import java.util.List;

/** {@code http_source}. */
public final class HttpSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("http_source", Family.SOURCES,
            "Listens on a port, and takes the rows that clients POST: csv, lines of text, JSON objects line by line, or a "
            + "JSON array of them; docs/sockets.md says more."
            + "\n- It answers 200 and `{\"rows\": 2, \"bad\": 0}` when the rows are in the graph. In a job that keeps its "
            + "state they are then on the disk too; else they are lost if the job fails before they leave it."
            + "\n- In such a job a request with an `Idempotency-Key` of the last 4,096 is answered again and not taken again; "
            + "422 says that another request had its key."
            + "\n- A bad record goes to `on_error`. Under `fail` the request is refused with 400 and the record's error; "
            + "none of its rows is taken, and the job goes on."
            + "\n- 429 with `Retry-After` says that the graph is busy, 401 that the token is wrong, 413 that the body is too "
            + "large, 503 that the job is being stopped."
            + "\n- The source ends when the job is stopped. Requests that have arrived by then are answered.",
            List.of(), List.of("out", "errors"), List.of(
                    SocketFields.HOST, SocketFields.PORT, SocketFields.PATH, SocketFields.FORMAT, SocketFields.READ_OPTIONS,
                    SocketFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT, SocketFields.TOKEN_ENV, SocketFields.TOKEN_FILE,
                    SocketFields.CLIENTS,
                    or("max_body_bytes", new FieldKind.Whole(1, 1 << 30), "1048576", "A longer body is refused with 413."),
                    SocketFields.BUFFER, SocketFields.SPOOL, SocketFields.IDLE, SocketFields.LISTENER_TLS), """
                "readings": {
                  "type": "http_source",
                  "port": 8080,
                  "path": "/readings",
                  "format": "json",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "token_env": "READINGS_TOKEN",
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["device"]}
                }
                """);

    HttpSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        RecordFormat.Read records = SocketFields.records(context);
        Bounds bounds = SocketFields.bounds(context, "max_body_bytes");
        if (records == null || bounds == null || !SocketFields.hasOneToken(context)) {
            return null;
        }
        HttpOptions http = ListeningSpec.http(context, bounds.recordBytes());
        return new ListeningSpec(SocketFields.listening(context), records, Framing.LINES, bounds,
                new ListeningSpec.Speaks(() -> Protocol.http(http), HttpSource::new)).result(context);
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
