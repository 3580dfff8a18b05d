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

/** {@code kafka_source}. */
public final class KafkaSourceDefinition extends Definition {
    /** In the order of the connector's indexes. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("topic", Type.Simple.STRING, "the record's topic."),
            new Metadata("key", Type.Simple.BINARY, "its key; NULL if it has none. `CAST(k AS STRING)` makes text of it."),
            new Metadata("partition", Type.Simple.INT, "its partition."),
            new Metadata("offset", Type.Simple.BIGINT, "its offset."),
            new Metadata("time", Type.Simple.TIMESTAMP, "its time: when it was made, or when the broker got it, as its topic "
                    + "says. It may be the event time."),
            new Metadata("headers", MetadataColumn.PAIRS, "its headers."),
            new Metadata("tombstone", Type.Simple.BOOLEAN, "whether it has no value, which says that its key is deleted. "
                    + "Without this column such a record is a bad one; with it, a row whose other columns of the value are NULL.",
                    true));

    private static final OperatorType TYPE = new OperatorType("kafka_source", Family.SOURCES,
            "Reads topics of Kafka; docs/kafka.md says more. Its client comes with `pip install 'despina[kafka]'`."
            + "\n- It belongs to no consumer group. Partitions are dealt to its instances, and their offsets are in the job's "
            + "snapshots, so that each record is taken once."
            + "\n- Where it begins is turned into offsets when the job first starts. Partitions that a topic gets later are read "
            + "from their first record."
            + "\n- Watermarks are made partition by partition, and the least counts. A partition that has had no record is "
            + "not waited for; one that has fallen silent is, unless `event_time` has `idle_after_ms`."
            + "\n- While the graph is busy, nothing is read. While brokers are away, it waits."
            + "\n- `reason` of a bad record names its topic, partition and offset: `orders/3@4711`.",
            List.of(), List.of("out", "errors"), List.of(
                    KafkaFields.SERVERS_FIELD,
                    required("topics", new FieldKind.ListOf(TEXT, 1), "The topics. Each must be there when the job starts."),
                    ServerFields.START,
                    or("stop_at", words("never", "it waits for more", "end", "it ends when it has read to where each partition "
                            + "ended when it was started"), "\"never\"", "Whether it ends."),
                    or("on_gap", words("fail", "the job fails, and says which offsets are missing", "skip", "it goes on behind "
                            + "the gap, and warns"), "\"fail\"", "What it does when the topic no longer has the records that it "
                            + "is to go on with."),
                    RecordFields.FORMAT, RecordFields.READ_OPTIONS, RecordFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                    RegistryFields.READ,
                    RecordFields.metadata(METADATA),
                    optional("group", TEXT, "none", "A consumer group, for those who watch the brokers: when an epoch is "
                            + "complete, its offsets are written there. They are never read back."),
                    or("refresh_ms", POSITIVE_MILLIS, "60000", "How often it looks whether a topic has more partitions."),
                    RecordFields.RECORD_BYTES, RecordFields.BUFFER,
                    KafkaFields.CONNECT, KafkaFields.SASL, SocketFields.CLIENT_TLS,
                    KafkaFields.properties("consumer", "fetch.max.wait.ms")), """
                "readings": {
                  "type": "kafka_source",
                  "bootstrap_servers": "127.0.0.1:9092",
                  "topics": ["readings"],
                  "format": "json",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "metadata": {"partition": "p", "offset": "o"},
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["p", "o"], "idle_after_ms": 10000}
                }
                """);

    KafkaSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Read records = RecordFields.records(context);
        Columns columns = records == null ? null : RecordFields.columns(context, records.schema(), METADATA);
        if (columns == null || !RegistryFields.areRight(context) || !KafkaFields.areTopics(context, fields.texts("topics"))) {
            return null;
        }
        Map<String, Object> settings = ServerFields.texts(fields, List.of("stop_at", "on_gap", "group"));
        ServerFields.wholes(fields, List.of("refresh_ms", "buffer_bytes"), settings);
        settings.put("topics", fields.texts("topics").stream().map(Text::value).distinct().toList());
        if (!KafkaFields.common(context, settings) || !ServerFields.start(context, fields.fields("start"), settings)) {
            return null;
        }
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0));
        boolean bounded = fields.string("stop_at", "").equals("end");
        PositionSourceSpec spec = new PositionSourceSpec(KafkaFields.CONNECTOR, new ConnectorSettings(settings), records, columns,
                bounds, bounded, new SparkGap("Spark has a source of its own for it, `kafka`",
                        "read the topics with that, and give the DataFrame in its place: to_spark(spark, inputs={…})"),
                RegistryFields.place(context));
        return PlanningResult.of(spec, new Stream(columns.schema(), null, !bounded));
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
