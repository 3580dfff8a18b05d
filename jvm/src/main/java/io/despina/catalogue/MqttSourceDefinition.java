package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
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
import io.despina.operator.connect.MetadataColumn;
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

/** {@code mqtt_source}. */
public final class MqttSourceDefinition extends Definition {
    private static final String PROPERTIES = "user_properties";
    /** In the order of the connector's indexes; the names of levels follow them. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("topic", Type.Simple.STRING, "the message's topic."),
            new Metadata("qos", Type.Simple.INT, "with which quality of service it came."),
            new Metadata("retained", Type.Simple.BOOLEAN, "whether the broker had kept it, and it came because the source "
                    + "subscribed: it may have come before."),
            new Metadata("duplicate", Type.Simple.BOOLEAN, "whether the broker says that it may have sent it before."),
            new Metadata(PROPERTIES, MetadataColumn.PAIRS, "its user properties, of MQTT 5."),
            new Metadata("arrived", Type.Simple.TIMESTAMP, "when it came, by the clock of the source's machine. It may be the "
                    + "event time."));

    private static final OperatorType TYPE = new OperatorType("mqtt_source", Family.SOURCES,
            "Reads topics of an MQTT broker; docs/mqtt.md says more. Its client comes with `pip install 'despina[mqtt]'`."
            + "\n- The broker keeps a session for it. So it gets what was sent while it was away, if the job keeps its state or "
            + "has a `client_id`."
            + "\n- In a job that keeps its state a message is acknowledged when it is on the disk, and what has come is read "
            + "from there after a failure. Else it is acknowledged when its rows are in the graph."
            + "\n- A message that the broker sends again is not taken again, where that can be told: by its packet number and "
            + "its content, among the last 4,096."
            + "\n- While the graph is busy, nothing is read, and the broker keeps what comes. While the broker is away, the "
            + "source waits."
            + "\n- `reason` of a bad record names its topic."
            + "\n- The source ends when the job is stopped.",
            List.of(), List.of("out", "errors"), List.of(
                    MqttFields.BROKER_FIELD,
                    required("topics", new FieldKind.ListOf(TEXT, 1), "The topics, as filters: `+` is any level, `#` at the end "
                            + "any rest. A level `{line}` is any level too, and what stands there is the column `line`, a "
                            + "STRING behind all others; NULL where another filter fits the topic."),
                    MqttFields.QOS, MqttFields.VERSION,
                    optional("client_id", TEXT, "the folder of the job's state decides; another one for each run without state",
                            "Under which name the broker knows it. With `parallelism`, the number of the instance is behind "
                            + "it. No two clients of a broker may have one name."),
                    optional("group", TEXT, "none", "Shares the topics with all clients of that group: each message goes to one "
                            + "of them. With `parallelism` it is needed. Retained messages do not come then."),
                    or("session_expiry_ms", POSITIVE_MILLIS, "86400000", "How long the broker keeps the session of a source "
                            + "that is away. For 3.1.1 the broker decides."),
                    RecordFields.FORMAT, RecordFields.READ_OPTIONS, RecordFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                    RegistryFields.READ, RecordFields.metadata(METADATA), RecordFields.RECORD_BYTES,
                    or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608", "How much may wait for the source: "
                            + "beyond it, nothing is read. Twice this is counted as the source's state."),
                    or("max_in_flight", new FieldKind.Whole(1, 4096), "4000", "How many messages the broker may send before "
                            + "the first of them is acknowledged. For 3.1.1 the broker decides."),
                    SocketFields.SPOOL, MqttFields.KEEP_ALIVE, MqttFields.CONNECT, ServerFields.LOGIN_RETRY,
                    ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
                    SocketFields.CLIENT_TLS), """
                "readings": {
                  "type": "mqtt_source",
                  "broker": "mqtt://127.0.0.1:1883",
                  "topics": ["plant/{line}/{device}/temperature"],
                  "format": "json",
                  "schema": "ts TIMESTAMP, celsius DOUBLE",
                  "metadata": {"retained": "retained"},
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["line", "device"]}
                }
                """);

    MqttSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Read records = RecordFields.records(context);
        Columns beside = records == null ? null : RecordFields.columns(context, records.schema(), METADATA);
        List<String> levels = beside == null ? null : MqttFields.levels(context, fields.texts("topics"));
        Columns columns = levels == null ? null : RecordFields.named(context, beside, METADATA.size(), levels, "topics");
        Map<String, Object> settings = ServerFields.texts(fields, List.of("group"));
        if (columns == null || !MqttFields.common(context, settings) || !hasProperties(context) || !isGroup(context)
                || !RegistryFields.areRight(context)) {
            return null;
        }
        ServerFields.wholes(fields, List.of("session_expiry_ms", "max_record_bytes", "retry_for_ms"), settings);
        settings.put("topics", fields.texts("topics").stream().map(Text::value).distinct().toList());
        settings.put("levels", levels);
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0),
                fields.whole("spool_bytes", 0), RecentKeys.USUAL);
        AcknowledgedSourceSpec spec = new AcknowledgedSourceSpec(MqttFields.CONNECTOR, new ConnectorSettings(settings), records,
                columns, bounds, promise(fields), SparkGap.ofSource("Spark has no source for MQTT"),
                RegistryFields.place(context));
        return new PlanningResult(spec, new Stream(columns.schema(), null, true), List.of(),
                fields.isWritten("group") ? null : "without `group` each instance would get every message");
    }

    private static Promise<SourceGuarantee> promise(Values fields) {
        return fields.string("qos", "").equals("1") ? Promise.of(SourceGuarantee.SPOOLED) : new Promise<>(SourceGuarantee.NONE,
                "with `qos` 0 a broker does not send again what was lost on the way", "\"qos\": \"1\"");
    }

    private static boolean hasProperties(PlanningContext context) {
        return !context.fields().namedTexts("metadata").containsKey(PROPERTIES) || MqttFields.isFive(context, "metadata");
    }

    private static boolean isGroup(PlanningContext context) {
        Text group = context.fields().text("group");
        if (group == null || !group.value().isEmpty() && group.value().chars().noneMatch(c -> "/+#".indexOf(c) >= 0)) {
            return true;
        }
        context.refuse(group.place(), Rule.BAD_NAME, "`" + group.value() + "` is no name of a group", "no /, + or #");
        return false;
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
