package io.despina.operator.connect;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.registry.RegisteredReader;
import io.despina.packet.Schema;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryPlace;
import io.despina.spec.EventTime;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * What a source reads whose server numbers the records.
 *
 * @param records   how a record's value is written
 * @param metadata  what is beside the value: the last columns of {@code schema}
 * @param eventTime or null
 * @param parsers   gives Spark's parser for what the byte-level reader does not read; called when first needed
 */
public record PositionSourceOptions(RecordFormat.Read records, Columns metadata, EventTime eventTime,
        Function<TextOptions, RecordParser> parsers, Bounds bounds, From from) {

    /**
     * The columns beside the value.
     *
     * @param schema   of all columns
     * @param emptyBy  whether one of them says that a record has no value, so that such a record is a row
     */
    public record Columns(List<MetadataColumn> columns, Schema schema, boolean emptyBy) {
        public Columns {
            columns = List.copyOf(columns);
        }
    }

    /**
     * What it holds at most.
     *
     * @param recordBytes of one record's value
     * @param bufferBytes of records that wait
     */
    public record Bounds(int recordBytes, long bufferBytes) {
    }

    /**
     * Where the records are.
     *
     * @param ends     whether it reads to where the partitions end now
     * @param registry that has the schemas of records; null without
     */
    public record From(Loading connector, ConnectorSettings settings, boolean ends, Registry registry) {
    }

    /**
     * Where the schemas of records are.
     *
     * @param threads that may block
     */
    public record Registry(RegistryPlace place, Executor threads) {
        private static final long MILLIS = 10_000;

        RegisteredReader.Asking asking(OperatorContext context) {
            return new RegisteredReader.Asking(new RegistryClient(place, MILLIS), threads, context);
        }
    }

    /** Loads the connector, where the source runs. */
    public interface Loading {
        Connector load() throws IOException;
    }
}
