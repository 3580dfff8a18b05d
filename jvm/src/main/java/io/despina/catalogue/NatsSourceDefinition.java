package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RecordFields.Metadata;
import io.despina.catalogue.field.RegistryFields;
import io.despina.catalogue.field.ServerFields;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.AcknowledgedSourceOptions;
import io.despina.operator.connect.MetadataColumn;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.inflow.RecentKeys;
import io.despina.packet.Type;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.spec.SourceGuarantee;
import java.util.List;
import java.util.Map;

/** {@code nats_source}. */
public final class NatsSourceDefinition extends Definition {
    private static final String STREAM = "stream";
    private static final SparkGap GAP = SparkGap.ofSource("Spark has no source for NATS");
    /** In the order of the connector's indexes. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("subject", Type.Simple.STRING, "the message's subject."),
            new Metadata("sequence", Type.Simple.BIGINT, "its number in the `stream`."),
            new Metadata("time", Type.Simple.TIMESTAMP, "when the `stream` got it; without one when it came, by the clock of "
                    + "the source's machine. It may be the event time."),
            new Metadata("headers", MetadataColumn.PAIRS, "its headers."));

    private static final OperatorType TYPE = new OperatorType("nats_source", Family.SOURCES,
            "Reads a stream of NATS JetStream, or listens to a subject; docs/nats.md says more. Its client comes with "
            + "`pip install 'despina[nats]'`."
            + "\n- Of a `stream` it acknowledges nothing, and leaves no durable consumer. The number of the message that comes "
            + "next is in the job's snapshots, so that each message is taken once."
            + "\n- Where it begins is turned into a number when the job first starts."
            + "\n- A stream has one order, so one instance reads it: `parallelism` is 1."
            + "\n- While the graph is busy, nothing is read of a stream. While servers are away, it waits."
            + "\n- Without `stream` it gets what is published to `subject` while it listens. What comes while it is away, or "
            + "faster than the graph takes it, is lost; the second is counted. It ends when the job is stopped."
            + "\n- `reason` of a bad record names its stream and number: `readings@4711`; without a stream its subject.",
            List.of(), List.of("out", "errors"), NatsFields.with(
                    NatsFields.SERVERS_FIELD,
                    optional(STREAM, TEXT, "none: it listens to `subject`", "The stream of JetStream. It must be there when the "
                            + "job starts."),
                    optional("subject", TEXT, "all of the stream", "Only messages of this subject are read: `*` is any token, "
                            + "`>` at the end any rest."),
                    optional("group", TEXT, "none", "Without `stream`: shares the subject with all of that group, so that each "
                            + "message goes to one of them. With `parallelism` it is needed."),
                    ServerFields.START,
                    or("stop_at", words("never", "it waits for more", "end", "it ends when it has read to where the stream ended "
                            + "when it was started"), "\"never\"", "Whether it ends."),
                    or("on_gap", words("fail", "the job fails, and says which numbers are missing", "skip", "it goes on behind "
                            + "the gap, and warns"), "\"fail\"", "What it does when the stream no longer has the messages that "
                            + "it is to go on with."),
                    RecordFields.FORMAT, RecordFields.READ_OPTIONS, RecordFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                    RegistryFields.READ, RecordFields.metadata(METADATA), RecordFields.RECORD_BYTES,
                    RecordFields.BUFFER, SocketFields.SPOOL, NatsFields.CONNECT, ServerFields.LOGIN_RETRY), """
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
        if (columns == null || subject != null && !NatsFields.isFilter(context, subject) || !fits(context)
                || !RegistryFields.areRight(context)) {
            return null;
        }
        Map<String, Object> settings = ServerFields.texts(fields, List.of("stop_at", "on_gap", "subject", "group"));
        if (!NatsFields.common(context, settings) || !ServerFields.start(context, fields.fields("start"), settings)) {
            return null;
        }
        ServerFields.wholes(fields, List.of("retry_for_ms"), settings);
        return fields.isWritten(STREAM) ? stream(context, records, columns, settings)
                : subject(context, records, columns, settings);
    }

    /** Whether the fields are of one of both: a stream, or a subject alone. */
    private static boolean fits(PlanningContext context) {
        Values fields = context.fields();
        boolean streams = fields.isWritten(STREAM);
        if (!streams && !fields.isWritten("subject")) {
            context.refuse(context.operator().place(), Rule.MISSING_FIELD, "a nats_source has a `stream`, a `subject`, or both",
                    "stream for one of JetStream, subject to listen to");
            return false;
        }
        for (String name : streams ? List.of("group", "spool_bytes") : List.of("start", "stop_at", "on_gap")) {
            if (fields.isWritten(name)) {
                context.refuse(fields.place(name), Rule.EXCLUSIVE, "`" + name + "` is for a source " + (streams ? "without"
                        : "with") + " `stream`", "leave it out");
                return false;
            }
        }
        Text number = fields.namedTexts("metadata").get("sequence");
        if (!streams && number != null) {
            context.refuse(number.place(), Rule.EXCLUSIVE, "without `stream` messages have no number", "leave it out");
            return false;
        }
        return !fields.isWritten("group") || NatsFields.isGroup(context, fields.text("group"));
    }

    private static PlanningResult stream(PlanningContext context, RecordFormat.Read records, Columns columns,
            Map<String, Object> settings) {
        Values fields = context.fields();
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0));
        boolean bounded = fields.string("stop_at", "").equals("end");
        PositionSourceSpec spec = new PositionSourceSpec(NatsFields.CONNECTOR, new ConnectorSettings(settings), records, columns,
                bounds, bounded, GAP, RegistryFields.place(context));
        return new PlanningResult(spec, new Stream(columns.schema(), null, !bounded), List.of(),
                "a stream has one order, which several instances would lose");
    }

    private static PlanningResult subject(PlanningContext context, RecordFormat.Read records, Columns columns,
            Map<String, Object> settings) {
        Values fields = context.fields();
        AcknowledgedSourceOptions.Bounds bounds = new AcknowledgedSourceOptions.Bounds((int) fields.whole("max_record_bytes", 0),
                fields.whole("buffer_bytes", 0), fields.whole("spool_bytes", 0), RecentKeys.USUAL);
        AcknowledgedSourceSpec spec = new AcknowledgedSourceSpec(NatsFields.CONNECTOR, new ConnectorSettings(settings), records,
                columns, bounds, new Promise<>(SourceGuarantee.NONE, "without `stream` what was lost on the way does not come "
                        + "again", "\"stream\": the name of one that takes the subject"), GAP, RegistryFields.place(context));
        return new PlanningResult(spec, new Stream(columns.schema(), null, true), List.of(),
                fields.isWritten("group") ? null : "without `group` each instance would get every message");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
