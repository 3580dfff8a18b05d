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

/** {@code redis_sink}. */
public final class RedisSinkDefinition extends Definition {
    private static final RowTarget TARGET = new RowTarget("stream", "fields");
    private static final OperatorType TYPE = new OperatorType("redis_sink", Family.SINKS,
            "Adds each row to a stream of Redis; docs/redis.md says more. Its client comes with `pip install 'despina[redis]'`."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete. Then they are written in "
            + "pieces of some rows, each at once with a mark that says how far the epoch is. So each row is there once, as long "
            + "as the server keeps what it acknowledges."
            + "\n- With `delivery` at_least_once, and in a job without state, rows are written at once."
            + "\n- Entries of one instance are in order."
            + "\n- A row whose key is no stream goes to `on_error`; so does one without a value and fields."
            + "\n- A server that is slow, full, or away for less than `retry_for_ms`, slows the job.",
            List.of("in"), List.of("errors"), RedisFields.with(
                    RedisFields.SERVER_FIELD,
                    optional("stream", TEXT, "`stream_by`", "The key of the stream. `{device}` in it is what the column `device` "
                            + "has. It is made if it is not there."),
                    optional("stream_by", EXPRESSION, "`stream`", "In its place, the stream of each row. A row with NULL is a "
                            + "bad record."),
                    RedisFields.FIELD,
                    optional("fields", new FieldKind.MapOf(null, "field", EXPRESSION), "none", "More fields of each entry, each "
                            + "STRING or BINARY. A NULL is left out."),
                    RecordFields.VALUE, RecordFields.WRITE_FORMAT, RecordFields.WRITE_OPTIONS,
                    RegistryFields.WRITE_NAMED,
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    optional("max_length", new FieldKind.Whole(1, Long.MAX_VALUE), "none", "How many entries a stream keeps, "
                            + "roughly: older ones are dropped (`MAXLEN ~`)."),
                    or("markers", TEXT, "\"despina_epochs\"", "With what the keys for marks of epochs begin."),
                    or("retry_for_ms", POSITIVE_MILLIS, "120000", "How long the server may take nothing; then the job fails."),
                    or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608", "How much may be on its way to the "
                            + "server. It is counted as the sink's state."),
                    RedisFields.CONNECT, SinkMode.APPEND_ONLY), """
                "written": {
                  "type": "redis_sink",
                  "server": "redis://127.0.0.1:6379",
                  "stream": "alarms",
                  "format": "json"
                }
                """);

    RedisSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Value value = RecordFields.value(context);
        if (value == null || !SinkMode.isAppend(context) || !hasStream(context)
                || !RedisFields.isStream(context, fields.text("markers")) || !RegistryFields.areRight(context)) {
            return null;
        }
        RecordFormat.Write records = RecordFields.written(context, value.schema());
        Parts parts = records == null ? null : TARGET.parts(context);
        if (parts == null) {
            return null;
        }
        Map<String, Object> settings = ServerFields.texts(fields, parts.hasTarget() ? List.of("markers")
                : List.of("markers", "stream"));
        ServerFields.wholes(fields, List.of("retry_for_ms"), settings);
        if (fields.isWritten("max_length")) {
            ServerFields.wholes(fields, List.of("max_length"), settings);
        }
        if (!RedisFields.common(context, settings)) {
            return null;
        }
        Server server = new Server(RedisFields.CONNECTOR, new ConnectorSettings(settings), fields.whole("buffer_bytes", 0), true,
                Promise.of(SinkGuarantee.MARKED), SparkGap.ofSink("Redis's streams"));
        return PlanningResult.of(new RecordSinkSpec(server, records, parts, value, Leaving.of(context),
                RegistryFields.registration(context)), null);
    }

    private static boolean hasStream(PlanningContext context) {
        Values fields = context.fields();
        if (!TARGET.isOne(context, "alarms:{device}")) {
            return false;
        }
        Text stream = fields.text("stream");
        return stream == null || RedisFields.isStream(context, stream) && new ColumnTemplate(stream).areColumns(context);
    }
}
