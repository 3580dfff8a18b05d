package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RecordFields.Metadata;
import io.despina.catalogue.field.RegistryFields;
import io.despina.catalogue.field.ServerFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
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

/** {@code redis_source}. */
public final class RedisSourceDefinition extends Definition {
    /** In the order of the connector's indexes. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("stream", Type.Simple.STRING, "the stream's name."),
            new Metadata("id", Type.Simple.STRING, "the entry's id in its stream: `1700000000000-0`."),
            new Metadata("time", Type.Simple.TIMESTAMP, "the instant in its id: when the server got it, unless who added it "
                    + "chose the id. It may be the event time."),
            new Metadata("fields", MetadataColumn.PAIRS, "its other fields."));

    private static final OperatorType TYPE = new OperatorType("redis_source", Family.SOURCES,
            "Reads streams of Redis; docs/redis.md says more. Its client comes with `pip install 'despina[redis]'`."
            + "\n- It needs no group, and leaves nothing at the server. The id of the last entry of each stream is in the job's "
            + "snapshots, so that each entry is taken once."
            + "\n- Where it begins is turned into an id when the job first starts. A stream that is not there yet is waited for."
            + "\n- A stream has one order, so one instance reads it: `parallelism` is 1."
            + "\n- While the graph is busy, nothing is read. While the server is away, it waits."
            + "\n- `reason` of a bad record names its stream and id: `readings@1700000000000-0`.",
            List.of(), List.of("out", "errors"), RedisFields.with(
                    RedisFields.SERVER_FIELD,
                    required("streams", new FieldKind.ListOf(TEXT, 1), "The keys of the streams."),
                    RedisFields.FIELD,
                    ServerFields.START,
                    or("stop_at", words("never", "it waits for more", "end", "it ends when it has read to where the streams "
                            + "ended when it was started"), "\"never\"", "Whether it ends."),
                    or("on_gap", words("fail", "the job fails, and says which ids", "skip", "it goes on behind the gap, and "
                            + "warns"), "\"fail\"", "What it does when a stream was trimmed past the place where it is to go "
                            + "on. A server before 7.0 does not tell."),
                    RecordFields.FORMAT, RecordFields.READ_OPTIONS, RecordFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                    RegistryFields.READ, RecordFields.metadata(METADATA), RecordFields.RECORD_BYTES,
                    RecordFields.BUFFER, RedisFields.CONNECT, ServerFields.LOGIN_RETRY), """
                "readings": {
                  "type": "redis_source",
                  "server": "redis://127.0.0.1:6379",
                  "streams": ["readings"],
                  "format": "json",
                  "schema": "ts TIMESTAMP, celsius DOUBLE",
                  "metadata": {"stream": "line", "id": "id"},
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["line", "id"]}
                }
                """);

    RedisSourceDefinition() {
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
        for (Text each : fields.texts("streams")) {
            if (!RedisFields.isStream(context, each)) {
                return null;
            }
        }
        Map<String, Object> settings = ServerFields.texts(fields, List.of("stop_at", "on_gap"));
        settings.put("streams", fields.texts("streams").stream().map(Text::value).distinct().toList());
        if (!RedisFields.common(context, settings) || !ServerFields.start(context, fields.fields("start"), settings)) {
            return null;
        }
        ServerFields.wholes(fields, List.of("max_record_bytes", "retry_for_ms"), settings);
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0));
        boolean bounded = fields.string("stop_at", "").equals("end");
        PositionSourceSpec spec = new PositionSourceSpec(RedisFields.CONNECTOR, new ConnectorSettings(settings), records, columns,
                bounds, bounded, SparkGap.ofSource("Spark has no source for Redis's streams"), RegistryFields.place(context));
        return new PlanningResult(spec, new Stream(columns.schema(), null, !bounded), List.of(),
                "a stream has one order, which several instances would lose");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
