package io.despina.catalogue;

import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.RecordSinkSpec.Server;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.operator.connect.RecordSinkOptions.Value;
import io.despina.operator.record.RecordFormat;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Snippet;
import io.despina.spec.SinkGuarantee;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code connector_sink}. */
public final class ConnectorSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("connector_sink", Family.SINKS,
            "Writes each row as a record by a connector of yours, whose jar you have built against the engine's: "
            + "examples/connector shows one."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`). After a loss "
            + "those that were on their way are written again; the connector's `RecordWriter` is told the epoch, so that it can "
            + "give its server the same names for them."
            + "\n- A record that the connector refuses goes to `on_error`.",
            List.of("in"), List.of("errors"), List.of(
                    ConnectorFields.CONNECTOR, ConnectorFields.SETTINGS_FIELD, ConnectorFields.SECRETS,
                    RecordFields.part("target", "none", "Where each row goes, STRING: a topic, say. A row with NULL is a bad "
                            + "record."),
                    RecordFields.part("key", "none", "The record's key, STRING or BINARY."),
                    RecordFields.VALUE, RecordFields.WRITE_FORMAT, RecordFields.WRITE_OPTIONS,
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608", "How much the connector may have on its "
                            + "way. It is counted as the sink's state."), SinkMode.APPEND_ONLY), """
                "written": {
                  "type": "connector_sink",
                  "connector": "lines",
                  "settings": {"folder": "alarms"},
                  "target": "device",
                  "format": "json"
                }
                """);

    ConnectorSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Value value = RecordFields.value(context);
        if (value == null || !SinkMode.isAppend(context)) {
            return null;
        }
        RecordFormat.Write records = RecordFields.written(context, value.schema());
        Parts parts = records == null ? null : parts(context);
        Map<String, Object> settings = parts == null ? null : ConnectorFields.settings(context);
        if (settings == null) {
            return null;
        }
        Server server = new Server(fields.string("connector", ""), new ConnectorSettings(settings),
                fields.whole("buffer_bytes", 0), false, new Promise<>(SinkGuarantee.AT_LEAST_ONCE,
                        "records that were on their way are written again", "write to a file_sink"), ConnectorFields.GAP);
        return PlanningResult.of(new RecordSinkSpec(server, records, parts, value, Leaving.of(context), null), null);
    }

    private static Parts parts(PlanningContext context) {
        Map<String, Snippet> parts = new LinkedHashMap<>();
        for (String name : List.of("target", "key")) {
            if (context.fields().isWritten(name)) {
                parts.put(name, Snippet.named(context.fields().text(name), "p" + parts.size()));
            }
        }
        if (parts.isEmpty()) {
            return new Parts(null, null, false, false, List.of());
        }
        ProjectionPlan plan = RecordFields.parts(context, parts);
        return plan == null ? null : new Parts(plan.compiled(), plan.result(), context.fields().isWritten("target"),
                context.fields().isWritten("key"), List.of());
    }
}
