package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RecordFields.Metadata;
import io.despina.catalogue.field.RegistryFields;
import io.despina.catalogue.field.ServerFields;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.AcknowledgedSourceOptions.Bounds;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code zeromq_source}. */
public final class ZeroMqSourceDefinition extends Definition {
    private static final SparkGap GAP = SparkGap.ofSource("Spark has no source for ZeroMQ");
    /** In the order of the connector's indexes. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("topic", Type.Simple.STRING, "the first of two frames; NULL for a message of one."),
            new Metadata("time", Type.Simple.TIMESTAMP, "when it came, by the clock of the source's machine. It may be the "
                    + "event time."));

    private static final OperatorType TYPE = new OperatorType("zeromq_source", Family.SOURCES,
            "Takes messages of ZeroMQ's sockets; docs/zeromq.md says more. Its library comes with `pip install "
            + "'despina[zeromq]'`."
            + "\n- A message has one frame, its value, or two: a topic and the value. One of more is a bad record."
            + "\n- Nobody is told what has come, so what is on its way when a process is killed is lost. What has come to a "
            + "job that keeps its state is in a log, and is taken once."
            + "\n- While the graph is busy, nothing is taken of those who `push`, and they wait. Publishers do not wait: what "
            + "comes then is dropped, and a warning counts it."
            + "\n- Peers may come and go. It ends when the job is stopped."
            + "\n- `reason` of a bad record names the topic.",
            List.of(), List.of("out", "errors"), ZeroMqFields.with(
                    required("socket", words("pull", "takes what peers push; of several instances, or jobs, each takes a share",
                            "sub", "takes what peers publish"), "The kind of socket."),
                    optional("topics", new FieldKind.ListOf(TEXT, 1), "all", "Of `sub`: what a topic begins with that is "
                            + "taken. A message of one frame has its own beginning as its topic."),
                    or("retry_for_ms", POSITIVE_MILLIS, "120000", "How long it tries again when a peer ends each connection at "
                            + "once, as one with other keys, or with a socket of another kind; then the job fails. For one "
                            + "that is not there it waits as long as it takes."),
                    RecordFields.FORMAT, RecordFields.READ_OPTIONS, RecordFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                    RegistryFields.READ, RecordFields.metadata(METADATA), RecordFields.RECORD_BYTES,
                    RecordFields.BUFFER, SocketFields.SPOOL), """
                "readings": {
                  "type": "zeromq_source",
                  "endpoint": "tcp://127.0.0.1:5555",
                  "socket": "sub",
                  "topics": ["temperature"],
                  "format": "json",
                  "schema": "ts TIMESTAMP, celsius DOUBLE",
                  "metadata": {"topic": "topic"},
                  "event_time": {"column": "ts", "max_delay_ms": 2000}
                }
                """);

    ZeroMqSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Read records = RecordFields.records(context);
        Columns columns = records == null ? null : RecordFields.columns(context, records.schema(), METADATA);
        if (columns == null || !RegistryFields.areRight(context)) {
            return null;
        }
        boolean subscribes = fields.string("socket", "").equals("sub");
        if (fields.isWritten("topics") && !subscribes) {
            context.refuse(fields.place("topics"), Rule.EXCLUSIVE, "`topics` are for \"socket\": \"sub\"",
                    "who pulls takes all that is pushed: leave them out");
            return null;
        }
        Map<String, Object> settings = new LinkedHashMap<>();
        ServerFields.wholes(fields, List.of("buffer_bytes"), settings);
        settings.put("topics", fields.texts("topics").stream().map(Text::value).toList());
        if (!ZeroMqFields.common(context, settings)) {
            return null;
        }
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0),
                fields.whole("spool_bytes", 0), RecentKeys.USUAL);
        AcknowledgedSourceSpec spec = new AcknowledgedSourceSpec(ZeroMqFields.CONNECTOR, new ConnectorSettings(settings), records,
                columns, bounds, new Promise<>(SourceGuarantee.NONE, "ZeroMQ tells nobody what has come: what is on its way "
                        + "when a process is killed is lost", null), GAP, RegistryFields.place(context));
        return new PlanningResult(spec, new Stream(columns.schema(), null, true), List.of(), fields.flag("bind")
                ? "an endpoint is bound once" : subscribes ? "each instance would get every message" : null);
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
