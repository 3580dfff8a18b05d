package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.RecordFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.record.RecordFormat;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Stream;
import java.util.List;
import java.util.Map;

/** {@code connector_source}. */
public final class ConnectorSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("connector_source", Family.SOURCES,
            "Reads records by a connector of yours, whose jar you have built against the engine's: examples/connector shows one. "
            + "Its server must give records again from a place that it numbers."
            + "\n- The connector's `PositionReader` says which partitions there are. Their positions are in the job's snapshots, "
            + "so that each record is taken once."
            + "\n- While the graph is busy, the reader is told that there is no room."
            + "\n- `reason` of a bad record names its place, as the connector calls it.",
            List.of(), List.of("out", "errors"), List.of(
                    ConnectorFields.CONNECTOR, ConnectorFields.SETTINGS_FIELD, ConnectorFields.SECRETS,
                    or("stop_at", words("never", "it waits for more", "end", "it ends when the connector says that each of its "
                            + "partitions has ended"), "\"never\"", "Whether it ends. The connector is told."),
                    RecordFields.FORMAT, RecordFields.READ_OPTIONS, RecordFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                    RecordFields.RECORD_BYTES, RecordFields.BUFFER), """
                "readings": {
                  "type": "connector_source",
                  "connector": "lines",
                  "settings": {"folder": "log"},
                  "format": "csv",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "event_time": {"column": "ts", "order_by": ["device"]}
                }
                """);

    ConnectorSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Read records = RecordFields.records(context);
        Map<String, Object> settings = records == null ? null : ConnectorFields.settings(context);
        if (settings == null) {
            return null;
        }
        settings.put("stop_at", fields.string("stop_at", ""));
        boolean bounded = fields.string("stop_at", "").equals("end");
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0));
        PositionSourceSpec spec = new PositionSourceSpec(fields.string("connector", ""), new ConnectorSettings(settings), records,
                new Columns(List.of(), records.schema(), false), bounds, bounded, ConnectorFields.GAP, null);
        return PlanningResult.of(spec, new Stream(records.schema(), null, !bounded));
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
