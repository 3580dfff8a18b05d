package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.RecordSinkSpec.Server;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RegistryFields;
import io.despina.catalogue.field.ServerFields;
import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.operator.connect.RecordSinkOptions.Value;
import io.despina.operator.record.RecordFormat;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** {@code nats_sink}. */
public final class NatsSinkDefinition extends Definition {
    private static final RowTarget TARGET = new RowTarget("subject", "headers");
    private static final String MARKERS = "markers";
    /** Of the server itself are those that begin so. */
    private static final Pattern HEADER = Pattern.compile("(?!(?i:nats-))[!-9;-~]+");

    private static final OperatorType TYPE = new OperatorType("nats_sink", Family.SINKS,
            "Writes each row as a message of NATS; docs/nats.md says more. Its client comes with `pip install 'despina[nats]'`."
            + "\n- With `stream`, JetStream acknowledges each message. In a job that keeps its state, rows wait in a log until "
            + "their epoch is complete, and are written between two marks in the stream `markers`. After a break the sink reads "
            + "which of them are there, and writes the others. So each row is there once."
            + "\n- With `delivery` at_least_once, and in a job without state, rows are written at once."
            + "\n- Without `stream`, messages go to those who listen at that moment, and may be lost on the way."
            + "\n- Messages of one instance leave in order."
            + "\n- A message that the stream or the server does not take, as one that is too large, goes to `on_error`; so does "
            + "a row whose subject is none."
            + "\n- Servers that are slow, or away for less than `retry_for_ms`, slow the job.",
            List.of("in"), List.of("errors"), NatsFields.with(
                    NatsFields.SERVERS_FIELD,
                    optional("stream", TEXT, "none: plain subjects", "The stream of JetStream that takes the messages. It must "
                            + "be there when the job starts."),
                    optional("subject", TEXT, "`subject_by`", "The subject. `{device}` in it is what the column `device` has."),
                    optional("subject_by", EXPRESSION, "`subject`", "In its place, the subject of each row. A row with NULL is a "
                            + "bad record."),
                    optional("headers", new FieldKind.MapOf(null, "header", EXPRESSION), "none", "Headers of each message, each "
                            + "STRING or BINARY, of ASCII. A NULL is left out."),
                    RecordFields.VALUE, RecordFields.WRITE_FORMAT, RecordFields.WRITE_OPTIONS,
                    RegistryFields.WRITE_NAMED,
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    or(MARKERS, TEXT, "\"despina_epochs\"", "The stream for the marks of epochs. The sink makes it if it is not "
                            + "there."),
                    or("retry_for_ms", POSITIVE_MILLIS, "120000", "How long servers may take no message; then the job fails."),
                    or("max_in_flight", new FieldKind.Whole(1, 4_000), "4000", "How many messages may be on their way before the "
                            + "first of them is acknowledged."),
                    or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608", "How much may be on its way to the "
                            + "servers. It is counted as the sink's state."),
                    NatsFields.CONNECT, SinkMode.APPEND_ONLY), """
                "written": {
                  "type": "nats_sink",
                  "servers": "nats://127.0.0.1:4222",
                  "stream": "alarms",
                  "subject": "alarms",
                  "format": "json"
                }
                """);

    NatsSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Value value = RecordFields.value(context);
        if (value == null || !SinkMode.isAppend(context) || !hasSubject(context) || !areHeaders(context)
                || !areMarkers(context) || !RegistryFields.areRight(context)) {
            return null;
        }
        RecordFormat.Write records = RecordFields.written(context, value.schema());
        Parts parts = records == null ? null : TARGET.parts(context);
        if (parts == null) {
            return null;
        }
        boolean streams = fields.isWritten("stream");
        Map<String, Object> settings = ServerFields.texts(fields, streams ? List.of(MARKERS) : List.of());
        if (!parts.hasTarget()) {
            settings.put("subject", fields.text("subject").value());
        }
        ServerFields.wholes(fields, List.of("retry_for_ms", "max_in_flight"), settings);
        if (!NatsFields.common(context, settings)) {
            return null;
        }
        Server server = new Server(NatsFields.CONNECTOR, new ConnectorSettings(settings), fields.whole("buffer_bytes", 0),
                streams, streams ? Promise.of(SinkGuarantee.MARKED) : new Promise<>(SinkGuarantee.NONE,
                        "without `stream` a message goes to those who listen at that moment, and may be lost on the way",
                        "\"stream\": the name of one that takes these subjects"),
                SparkGap.ofSink("NATS"));
        return PlanningResult.of(new RecordSinkSpec(server, records, parts, value, Leaving.of(context),
                RegistryFields.registration(context)), null);
    }

    private static boolean hasSubject(PlanningContext context) {
        Values fields = context.fields();
        if (!TARGET.isOne(context, "alarms.{device}")) {
            return false;
        }
        Text subject = fields.text("subject");
        if (subject == null) {
            return true;
        }
        ColumnTemplate template = new ColumnTemplate(subject);
        return NatsFields.isSubject(context, subject, template.with("x")) && template.areColumns(context);
    }

    private static boolean areHeaders(PlanningContext context) {
        for (Map.Entry<String, Text> each : context.fields().namedTexts("headers").entrySet()) {
            if (!HEADER.matcher(each.getKey()).matches()) {
                context.refuse(each.getValue().place(), Rule.BAD_NAME, "`" + each.getKey() + "` is no name of a header",
                        "ASCII without spaces and colons; those that begin with Nats- are the server's");
                return false;
            }
        }
        return true;
    }

    private static boolean areMarkers(PlanningContext context) {
        Values fields = context.fields();
        if (fields.isWritten(MARKERS) && !fields.isWritten("stream")) {
            context.refuse(fields.place(MARKERS), Rule.EXCLUSIVE, "`markers` are of epochs in a `stream`",
                    "name the `stream`, or leave `markers` out");
            return false;
        }
        return NatsFields.isStream(context, fields.text(MARKERS));
    }
}
