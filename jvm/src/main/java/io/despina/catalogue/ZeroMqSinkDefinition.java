package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.RecordSinkSpec.Server;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RegistryFields;
import io.despina.catalogue.field.ServerFields;
import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
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

/** {@code zeromq_sink}. */
public final class ZeroMqSinkDefinition extends Definition {
    /** The longest that a subscriber may send. */
    private static final long SUBSCRIPTION_BYTES = 1 << 16;
    private static final RowTarget TARGET = new RowTarget("topic", null);

    private static final OperatorType TYPE = new OperatorType("zeromq_sink", Family.SINKS,
            "Sends each row as a message of ZeroMQ; docs/zeromq.md says more. Its library comes with `pip install "
            + "'despina[zeromq]'`."
            + "\n- With `topic` or `topic_by` a message has two frames, the topic and the row; else one."
            + "\n- Peers acknowledge nothing: a message has left when there is room for it in the queue of a peer. What is in "
            + "it when a process is killed is lost."
            + "\n- Rows of one instance leave in order. Each message that is pushed goes to one peer; what is published goes "
            + "to all that have subscribed by then."
            + "\n- While no peer has room, the job waits; a publisher does so with `when_full` wait.",
            List.of("in"), List.of("errors"), ZeroMqFields.with(
                    required("socket", words("push", "each message goes to one of the peers that pull, in turn",
                            "pub", "each goes to all peers that have subscribed to its topic"), "The kind of socket."),
                    optional("topic", TEXT, "none", "The topic. `{device}` in it is what the column `device` has."),
                    optional("topic_by", EXPRESSION, "`topic`", "In its place, the topic of each row. A row with NULL is a bad "
                            + "record."),
                    or("when_full", words("drop", "that one misses the message, and a warning counts it", "wait",
                            "all wait for it"), "\"drop\"", "Of `pub`: what happens when the queue of a "
                            + "subscriber is full (`high_water_mark`)."),
                    RecordFields.VALUE, RecordFields.WRITE_FORMAT, RecordFields.WRITE_OPTIONS,
                    RegistryFields.WRITE_NAMED,
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    or("retry_for_ms", POSITIVE_MILLIS, "120000", "How long the job waits while no peer takes a message; then "
                            + "it fails."),
                    or("linger_ms", MILLIS, "10000", "How long a job that ends, stops or fails waits for its peers to take "
                            + "what is in their queues. What they have not taken then is lost, and a warning says so. 0: it "
                            + "does not wait, and tells of nothing."),
                    SinkMode.APPEND_ONLY), """
                "alarms": {
                  "type": "zeromq_sink",
                  "endpoint": "tcp://127.0.0.1:5556",
                  "bind": true,
                  "socket": "pub",
                  "topic": "alarms",
                  "format": "json"
                }
                """);

    ZeroMqSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Value value = RecordFields.value(context);
        if (value == null || !SinkMode.isAppend(context) || !hasTopic(context) || !RegistryFields.areRight(context)) {
            return null;
        }
        if (fields.isWritten("when_full") && fields.string("socket", "").equals("push")) {
            context.refuse(fields.place("when_full"), Rule.EXCLUSIVE, "`when_full` is for \"socket\": \"pub\"",
                    "who pushes waits for a peer: leave it out");
            return null;
        }
        RecordFormat.Write records = RecordFields.written(context, value.schema());
        Parts parts = records == null ? null : TARGET.parts(context);
        if (parts == null) {
            return null;
        }
        Map<String, Object> settings = new LinkedHashMap<>(ServerFields.texts(fields, List.of("when_full")));
        if (!parts.hasTarget() && fields.isWritten("topic")) {
            settings.put("topic", fields.text("topic").value());
        }
        ServerFields.wholes(fields, List.of("linger_ms"), settings);
        settings.put("buffer_bytes", SUBSCRIPTION_BYTES);
        if (!ZeroMqFields.common(context, settings)) {
            return null;
        }
        Server server = new Server(ZeroMqFields.CONNECTOR, new ConnectorSettings(settings), ZeroMqFields.queue(fields), false,
                new Promise<>(SinkGuarantee.NONE, "ZeroMQ tells nobody what has come: what is on its way when a process is "
                        + "killed is lost", null),
                SparkGap.ofSink("ZeroMQ"));
        return new PlanningResult(new RecordSinkSpec(server, records, parts, value, Leaving.of(context),
                RegistryFields.registration(context)), null, List.of(), fields.flag("bind") ? "an endpoint is bound once" : null);
    }

    private static boolean hasTopic(PlanningContext context) {
        Values fields = context.fields();
        Text topic = fields.text("topic");
        if (topic == null && !fields.isWritten("topic_by")) {
            return true;
        }
        return TARGET.isOne(context, "alarms.{device}") && (topic == null || new ColumnTemplate(topic).areColumns(context));
    }
}
