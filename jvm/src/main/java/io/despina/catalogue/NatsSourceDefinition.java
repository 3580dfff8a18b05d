package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RecordFields.Metadata;
import io.despina.catalogue.field.ServerFields;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.MetadataColumn;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Type;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Stream;
import java.util.List;
import java.util.Map;

/** {@code nats_source}. */
public final class NatsSourceDefinition extends Definition {
    /** In the order of the connector's indexes. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("subject", Type.Simple.STRING, "the message's subject."),
            new Metadata("sequence", Type.Simple.BIGINT, "its number in the stream."),
            new Metadata("time", Type.Simple.TIMESTAMP, "when the stream got it. It may be the event time."),
            new Metadata("headers", MetadataColumn.PAIRS, "its headers."));

    private static final OperatorType TYPE = new OperatorType("nats_source", Family.SOURCES,
            "Reads a stream of NATS JetStream; docs/nats.md says more. Its client comes with `pip install 'despina[nats]'`."
            + "\n- It acknowledges nothing, and leaves no durable consumer. The number of the message that comes next is in the "
            + "job's snapshots, so that each message is taken once."
            + "\n- Where it begins is turned into a number when the job first starts."
            + "\n- A stream has one order, so one instance reads it: `parallelism` is 1."
            + "\n- While the graph is busy, nothing is read. While servers are away, it waits."
            + "\n- `reason` of a bad record names its stream and number: `readings@4711`.",
            List.of(), List.of("out", "errors"), List.of(
                    NatsFields.SERVERS_FIELD, NatsFields.STREAM_FIELD,
                    optional("subject", TEXT, "all of the stream", "Only messages of this subject are read: `*` is any token, "
                            + "`>` at the end any rest."),
                    ServerFields.START,
                    or("stop_at", words("never", "it waits for more", "end", "it ends when it has read to where the stream ended "
                            + "when it was started"), "\"never\"", "Whether it ends."),
                    or("on_gap", words("fail", "the job fails, and says which numbers are missing", "skip", "it goes on behind "
                            + "the gap, and warns"), "\"fail\"", "What it does when the stream no longer has the messages that "
                            + "it is to go on with."),
                    RecordFields.FORMAT, RecordFields.READ_OPTIONS, RecordFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                    RecordFields.metadata(METADATA), RecordFields.RECORD_BYTES,
                    RecordFields.BUFFER,
                    NatsFields.CONNECT,
                    ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
                    SocketFields.CLIENT_TLS), """
                "readings": {
                  "type": "nats_source",
                  "servers": "nats://127.0.0.1:4222",
                  "stream": "readings",
                  "subject": "plant.*.temperature",
                  "format": "json",
                  "schema": "ts TIMESTAMP, celsius DOUBLE",
                  "metadata": {"subject": "subject", "sequence": "n"},
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["n"]}
                }
                """);

    NatsSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Read records = RecordFields.records(context);
        Columns columns = records == null ? null : RecordFields.columns(context, records.schema(), METADATA);
        Text subject = fields.text("subject");
        if (columns == null || subject != null && !NatsFields.isSubject(context, subject, true)) {
            return null;
        }
        Map<String, Object> settings = ServerFields.texts(fields, List.of("stop_at", "on_gap", "subject"));
        if (!NatsFields.common(context, settings) || !ServerFields.start(context, fields.fields("start"), settings)) {
            return null;
        }
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0));
        boolean bounded = fields.string("stop_at", "").equals("end");
        PositionSourceSpec spec = new PositionSourceSpec(NatsFields.CONNECTOR, new ConnectorSettings(settings), records, columns,
                bounds, bounded, new SparkGap("Spark has no source for NATS",
                        "give a DataFrame in its place: to_spark(spark, inputs={…})"), null);
        return new PlanningResult(spec, new Stream(columns.schema(), null, !bounded), List.of(),
                "a stream has one order, which several instances would lose");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
