package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
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
import io.despina.descriptor.CommonFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.operator.connect.RecordSinkOptions.Value;
import io.despina.operator.record.RecordFormat;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Snippet;
import io.despina.spec.SinkGuarantee;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code kafka_sink}. */
public final class KafkaSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("kafka_sink", Family.SINKS,
            "Writes each row as a record of Kafka; docs/kafka.md says more. Its client comes with "
            + "`pip install 'despina[kafka]'`."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete. Then they are written in one "
            + "transaction, with a marker of the epoch in the topic `markers`. So each row is there once, for consumers that "
            + "read `read_committed`."
            + "\n- With `delivery` at_least_once, and in a job without state, rows are written at once."
            + "\n- Rows with equal keys go to one partition, in order, from one instance of the sink."
            + "\n- A record that the broker does not take, as one that is too large, goes to `on_error`."
            + "\n- Brokers that are slow, or away for less than `retry_for_ms`, slow the job.",
            List.of("in"), List.of("errors"), List.of(
                    KafkaFields.SERVERS_FIELD,
                    optional("topic", TEXT, "`topic_by`", "The topic. It must be there when the job starts."),
                    optional("topic_by", EXPRESSION, "`topic`", "In its place, the topic of each row. A row with NULL is a bad "
                            + "record."),
                    RecordFields.part("key", "none", "The record's key, STRING or BINARY."),
                    optional("headers", new FieldKind.MapOf(null, "header", EXPRESSION), "none", "The record's headers, each "
                            + "STRING or BINARY."),
                    RecordFields.VALUE, RecordFields.WRITE_FORMAT, RecordFields.WRITE_OPTIONS, RegistryFields.WRITE,
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    or("markers", TEXT, "\"despina_epochs\"", "The topic for the markers of epochs. The sink makes it, "
                            + "compacted, if it is not there."),
                    or("retry_for_ms", CommonFields.POSITIVE_MILLIS, "120000", "How long it tries to get a record to a broker; "
                            + "then the job fails."),
                    or("buffer_bytes", new FieldKind.Whole(1 << 20, 1 << 30), "33554432", "How much may be on its way to the "
                            + "brokers. It is counted as the sink's state."),
                    KafkaFields.CONNECT, KafkaFields.SASL, SocketFields.CLIENT_TLS,
                    KafkaFields.properties("producer", "compression.type"), SinkMode.APPEND_ONLY), """
                "written": {
                  "type": "kafka_sink",
                  "bootstrap_servers": "127.0.0.1:9092",
                  "topic": "alarms",
                  "key": "device",
                  "format": "json"
                }
                """);

    KafkaSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Value value = RecordFields.value(context);
        if (value == null || !SinkMode.isAppend(context) || !hasTopic(context) || !RegistryFields.areRight(context)
                || !RegistryFields.hasSubject(context)) {
            return null;
        }
        RecordFormat.Write records = RecordFields.written(context, value.schema());
        Parts parts = records == null ? null : parts(context);
        if (parts == null) {
            return null;
        }
        Map<String, Object> settings = ServerFields.texts(fields, List.of("topic", "markers", "delivery"));
        ServerFields.wholes(fields, List.of("retry_for_ms", "buffer_bytes"), settings);
        if (!KafkaFields.isTopic(context, fields.text("markers")) || !KafkaFields.common(context, settings)) {
            return null;
        }
        Server server = new Server(KafkaFields.CONNECTOR, new ConnectorSettings(settings), fields.whole("buffer_bytes", 0), true,
                Promise.of(SinkGuarantee.MARKED), new SparkGap("Spark has a sink of its own for it, `kafka`",
                        "write what the graph gives with that, or stub the sink"));
        return PlanningResult.of(new RecordSinkSpec(server, records, parts, value, Leaving.of(context),
                RegistryFields.registration(context)), null);
    }

    private static boolean hasTopic(PlanningContext context) {
        Values fields = context.fields();
        if (fields.isWritten("topic") == fields.isWritten("topic_by")) {
            context.refuse(fields.isWritten("topic_by") ? fields.place("topic_by") : context.operator().place(), Rule.EXCLUSIVE,
                    "a kafka_sink has either `topic` or `topic_by`", "topic for one topic, topic_by for one of each row");
            return false;
        }
        return !fields.isWritten("topic") || KafkaFields.isTopic(context, fields.text("topic"));
    }

    private static Parts parts(PlanningContext context) {
        Values fields = context.fields();
        Map<String, Snippet> parts = new LinkedHashMap<>();
        for (String name : List.of("topic_by", "key")) {
            if (fields.isWritten(name)) {
                parts.put(name, Snippet.named(fields.text(name), "p" + parts.size()));
            }
        }
        Map<String, Text> headers = fields.namedTexts("headers");
        headers.forEach((name, text) -> parts.put("headers." + name, Snippet.named(text, "p" + parts.size())));
        if (parts.isEmpty()) {
            return new Parts(null, null, false, false, List.of());
        }
        ProjectionPlan plan = RecordFields.parts(context, parts);
        return plan == null ? null : new Parts(plan.compiled(), plan.result(), fields.isWritten("topic_by"),
                fields.isWritten("key"), List.copyOf(headers.keySet()));
    }
}
