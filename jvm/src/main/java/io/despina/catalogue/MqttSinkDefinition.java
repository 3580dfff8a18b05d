package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.FLAG;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code mqtt_sink}. */
public final class MqttSinkDefinition extends Definition {
    private static final RowTarget TARGET = new RowTarget("topic", "user_properties");
    private static final OperatorType TYPE = new OperatorType("mqtt_sink", Family.SINKS,
            "Publishes each row as a message of MQTT; docs/mqtt.md says more. Its client comes with "
            + "`pip install 'despina[mqtt]'`."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`). After a loss "
            + "those that were on their way are sent again. With `version` 5 each message has the user property `despina-id`, "
            + "which is then the same, so that a reader can tell."
            + "\n- With `qos` 1 a message is sent until the broker has acknowledged it, so each row arrives at least once; with "
            + "`qos` 0 it may be lost."
            + "\n- Messages of one instance leave in order."
            + "\n- What the broker refuses, as it can in version 5, goes to `on_error`; so does a row whose topic is none. A "
            + "quota that is used up fails the job."
            + "\n- A broker that is slow, or away for less than `retry_for_ms`, slows the job.",
            List.of("in"), List.of("errors"), List.of(
                    MqttFields.BROKER_FIELD,
                    optional("topic", TEXT, "`topic_by`", "The topic. `{device}` in it is what the column `device` has."),
                    optional("topic_by", EXPRESSION, "`topic`", "In its place, the topic of each row. A row with NULL is a bad "
                            + "record."),
                    MqttFields.QOS, or("retain", FLAG, "false", "Whether the broker keeps the last message of each topic for "
                            + "those who subscribe later. One without a value makes it forget that."),
                    MqttFields.VERSION,
                    optional("client_id", TEXT, "another one for each run", "Under which name the broker knows it. With "
                            + "`parallelism`, the number of the instance is behind it."),
                    optional("user_properties", new FieldKind.MapOf(null, "user property", EXPRESSION), "none",
                            "User properties of each message, of MQTT 5, each a STRING. A NULL is left out."),
                    RecordFields.VALUE, RecordFields.WRITE_FORMAT, RecordFields.WRITE_OPTIONS, RegistryFields.WRITE_NAMED,
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    or("retry_for_ms", POSITIVE_MILLIS, "120000", "How long the broker may take no message; then the job "
                            + "fails."),
                    or("max_in_flight", new FieldKind.Whole(1, 65_535), "1000", "How many messages may be on their way before "
                            + "the first of them is acknowledged. A broker of version 5 may want fewer."),
                    or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608", "How much may be on its way to the "
                            + "broker. It is counted as the sink's state."),
                    MqttFields.KEEP_ALIVE, MqttFields.CONNECT,
                    ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
                    SocketFields.CLIENT_TLS, SinkMode.APPEND_ONLY), """
                "published": {
                  "type": "mqtt_sink",
                  "broker": "mqtt://127.0.0.1:1883",
                  "topic": "alarms",
                  "format": "json"
                }
                """);

    MqttSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Value value = RecordFields.value(context);
        if (value == null || !SinkMode.isAppend(context) || !hasTopic(context) || !hasProperties(context)
                || !RegistryFields.areRight(context)) {
            return null;
        }
        RecordFormat.Write records = RecordFields.written(context, value.schema());
        Parts parts = records == null ? null : TARGET.parts(context);
        if (parts == null) {
            return null;
        }
        Map<String, Object> settings = parts.hasTarget() ? new LinkedHashMap<>()
                : ServerFields.texts(fields, List.of("topic"));
        settings.put("retain", fields.flag("retain"));
        ServerFields.wholes(fields, List.of("retry_for_ms"), settings);
        if (!MqttFields.common(context, settings)) {
            return null;
        }
        Server server = new Server(MqttFields.CONNECTOR, new ConnectorSettings(settings), fields.whole("buffer_bytes", 0), false,
                promise(fields), SparkGap.ofSink("MQTT"));
        return PlanningResult.of(new RecordSinkSpec(server, records, parts, value, Leaving.of(context),
                RegistryFields.registration(context)), null);
    }

    private static Promise<SinkGuarantee> promise(Values fields) {
        return fields.string("qos", "").equals("1") ? new Promise<>(SinkGuarantee.AT_LEAST_ONCE,
                "messages that were on their way are sent again, under the same `despina-id`", "write to a file_sink")
                : new Promise<>(SinkGuarantee.NONE, "with `qos` 0 a message may be lost on the way", "\"qos\": \"1\"");
    }

    private static boolean hasProperties(PlanningContext context) {
        return context.fields().namedTexts("user_properties").isEmpty() || MqttFields.isFive(context, "user_properties");
    }

    private static boolean hasTopic(PlanningContext context) {
        Values fields = context.fields();
        if (!TARGET.isOne(context, "alarms/{device}")) {
            return false;
        }
        Text topic = fields.text("topic");
        if (topic == null) {
            return true;
        }
        ColumnTemplate template = new ColumnTemplate(topic);
        String rest = template.with("");
        if (topic.value().isEmpty() || rest.chars().anyMatch(c -> "+#{}\0".indexOf(c) >= 0)) {
            context.refuse(topic.place(), Rule.BAD_NAME, "`" + topic.value() + "` is no topic",
                    "alarms/{device}, without + and #");
            return false;
        }
        return template.areColumns(context);
    }
}
