package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.sink.FileSinkOptions;
import io.despina.operator.sink.TcpSink;
import io.despina.operator.sink.TcpSinkOptions;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Target;
import io.despina.socket.SocketClient;
import io.despina.spec.Blocking;
import java.util.List;

/** {@code tcp_sink}. */
public final class TcpSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("tcp_sink",
            "Connects to a program, and sends it each row. A peer that does not read slows the job. When the connection breaks, "
            + "the sink makes another and writes again the rows of the write that failed, up to 64 KB: the peer may get them "
            + "twice, and the first connection may end within one. Rows that the system had taken and the peer had not read are "
            + "lost, since TCP does not tell of them. So rows arrive neither at most nor at least once across a break, and "
            + "exactly once without one. Each instance has a connection of its own.",
            List.of("in"), List.of("errors"), List.of(
                    required("host", TEXT, "The peer's name or address."),
                    required("port", new FieldKind.Whole(1, 65_535), "The peer's port."),
                    SocketFields.WRITE_FORMAT, SocketFields.WRITE_OPTIONS,
                    or("framing", SocketFields.FRAMING, "\"lines\"", "Where a record ends."),
                    SocketFields.RETRY, SocketFields.WRITE_TIMEOUT, SocketFields.CLIENT_TLS, SinkMode.APPEND_ONLY), """
                "sent": {"type": "tcp_sink", "host": "127.0.0.1", "port": 7001, "format": "json"}
                """);

    TcpSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        FileSinkOptions.Records records = SocketFields.written(context);
        if (records == null || !SinkMode.isAppend(context) || !SocketFields.hasKey(context)) {
            return null;
        }
        SocketClient.Address address = new SocketClient.Address(fields.string("host", ""), (int) fields.whole("port", 0),
                SocketFields.tls(context), fields.whole("write_timeout_ms", 0));
        return PlanningResult.of(new TcpSinkSpec(address, records, fields.string("framing", "").equals("length_prefixed"),
                fields.whole("retry_for_ms", 0)), null);
    }

    public record TcpSinkSpec(SocketClient.Address address, FileSinkOptions.Records records, boolean lengthPrefixed,
            long retryMillis) implements ExecutableSpec {

        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return SocketFields.SINK_GAPS;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new TcpSink(new TcpSinkOptions(address, records, Expressions::formatter, lengthPrefixed, retryMillis));
        }
    }
}
