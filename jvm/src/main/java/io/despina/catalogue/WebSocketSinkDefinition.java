package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.WebSocketProbe;
import io.despina.operator.sink.socket.WebSocketSink;
import io.despina.operator.sink.socket.WebSocketSinkOptions;
import io.despina.operator.sink.socket.WebSocketSinkOptions.Times;
import io.despina.operator.sink.socket.WebSocketSinkOptions.To;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.regex.Pattern;

/** {@code websocket_sink}. */
public final class WebSocketSinkDefinition extends Definition {
    private static final Pattern URL = Pattern.compile("wss?://[^/\\s?#@]+(?:[/?][^\\s#]*)?");

    private static final OperatorType TYPE = new OperatorType("websocket_sink", Family.SINKS,
            "Connects to a program over a WebSocket, and sends it each row as a message: a text, or binary in formats that are "
            + "none; docs/sockets.md says more. Each instance has its own connection."
            + "\n- A peer that does not read slows the job."
            + "\n- If the connection breaks, the sink makes a new one, and sends the failed message again. Messages that the "
            + "system had taken and the peer had not read are lost, as with a `tcp_sink`."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`)."
            + "\n- The option `header` of csv has no effect.",
            List.of("in"), List.of("errors"), List.of(
                    required("url", TEXT, "`ws://…` or `wss://…`, without a user or a password."),
                    SocketFields.WRITE_ANY_FORMAT, SocketFields.WRITE_OPTIONS,
                    optional("token_env", TEXT, "no token", "The environment variable that holds a token, which goes into "
                            + "`Authorization: Bearer …`, in the process that hosts the operator."),
                    optional("token_file", TEXT, "no token", "In its place, the file that holds the token."),
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    SocketFields.RETRY, SocketFields.WRITE_TIMEOUT, SocketFields.CLIENT_TLS, SinkMode.APPEND_ONLY), """
                "shown": {"type": "websocket_sink", "url": "ws://127.0.0.1:8081/live", "format": "json"}
                """);

    WebSocketSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Write records = SocketFields.written(context);
        if (records == null || !SinkMode.isAppend(context) || !SocketFields.hasKey(context)
                || !SocketFields.hasOneToken(context)) {
            return null;
        }
        String url = fields.string("url", "");
        if (!URL.matcher(url).matches()) {
            return context.refuse(fields.place("url"), Rule.PATH, "this is no URL of a WebSocket",
                    "ws://host:port/path, without a user, a password, a fragment or spaces");
        }
        return PlanningResult.of(new WebSocketSinkSpec(new To(url, SocketFields.token(context), SocketFields.tls(context)),
                records, new Times(fields.whole("write_timeout_ms", 0), fields.whole("retry_for_ms", 0)),
                Leaving.of(context)), null);
    }

    public record WebSocketSinkSpec(To to, RecordFormat.Write records, Times times, Leaving leaving) implements LeavingSpec {

        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return SocketFields.MAY_LOSE;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return SocketFields.SINK_GAPS;
        }

        @Override
        public Probe probe(InstanceContext making) {
            return new WebSocketProbe(to);
        }

        @Override
        public Operator make(InstanceContext making) {
            return leaving.of(new WebSocketSink(new WebSocketSinkOptions(to, records, Expressions::formatter, times)),
                    making);
        }
    }
}
