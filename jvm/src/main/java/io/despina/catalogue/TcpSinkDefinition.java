package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.ClientProbe;
import io.despina.operator.sink.socket.TcpSink;
import io.despina.operator.sink.socket.TcpSinkOptions;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.socket.SocketClient;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.List;

/** {@code tcp_sink}. */
public final class TcpSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("tcp_sink", Family.SINKS,
            "Connects to a program, and sends it each row; docs/sockets.md says more. Each instance has its own "
            + "connection."
            + "\n- A peer that does not read slows the job."
            + "\n- If the connection breaks, the sink makes a new one, and writes the rows of the failed write again, up to "
            + "64 KB. The peer may get these rows twice, and the first connection may end within a row."
            + "\n- Rows that the system had taken and the peer had not read are lost, since TCP does not report them."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`)."
            + "\n- So each row arrives exactly once while the connection holds; across a break it may be lost or come twice.",
            List.of("in"), List.of("errors"), List.of(
                    required("host", TEXT, "The peer's name or address."),
                    required("port", new FieldKind.Whole(1, 65_535), "The peer's port."),
                    SocketFields.WRITE_ANY_FORMAT, SocketFields.WRITE_OPTIONS,
                    or("framing", SocketFields.FRAMING, "\"lines\"", "Where a record ends."),
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    SocketFields.RETRY, SocketFields.WRITE_TIMEOUT, SocketFields.CLIENT_TLS, SinkMode.APPEND_ONLY), """
                "sent": {"type": "tcp_sink", "host": "127.0.0.1", "port": 7001, "format": "json"}
                """);

    TcpSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Write records = SocketFields.written(context);
        if (records == null || !SinkMode.isAppend(context) || !SocketFields.hasKey(context)) {
            return null;
        }
        SocketClient.Address address = new SocketClient.Address(fields.string("host", ""), (int) fields.whole("port", 0),
                SocketFields.tls(context), fields.whole("write_timeout_ms", 0));
        return PlanningResult.of(new TcpSinkSpec(address, records, fields.string("framing", "").equals("length_prefixed"),
                fields.whole("retry_for_ms", 0), Leaving.of(context)), null);
    }

    public record TcpSinkSpec(SocketClient.Address address, RecordFormat.Write records, boolean lengthPrefixed,
            long retryMillis, Leaving leaving) implements LeavingSpec {

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
            return new ClientProbe(address);
        }

        @Override
        public Operator make(InstanceContext making) {
            return leaving.of(new TcpSink(new TcpSinkOptions(address, records, Expressions::formatter, lengthPrefixed,
                    retryMillis)), making);
        }
    }
}
