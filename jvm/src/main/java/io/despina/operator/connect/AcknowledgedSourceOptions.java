package io.despina.operator.connect;

import io.despina.connect.ConnectorSettings;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.connect.PositionSourceOptions.Loading;
import io.despina.operator.record.RecordFormat;
import io.despina.spec.EventTime;
import java.util.function.Function;

/**
 * What a source reads whose server forgets a record once it is acknowledged.
 *
 * @param records   how a record's value is written
 * @param metadata  what is beside the value: the last columns of its schema
 * @param eventTime or null
 * @param parsers   gives Spark's parser for what the byte-level reader does not read; called when first needed
 */
public record AcknowledgedSourceOptions(RecordFormat.Read records, Columns metadata, EventTime eventTime,
        Function<TextOptions, RecordParser> parsers, Bounds bounds, From from) {

    /**
     * What it holds at most.
     *
     * @param recordBytes of one record's value
     * @param bufferBytes of records that wait
     * @param logBytes    of what no complete epoch has yet, on the disk of a job that keeps its state
     * @param keys        of records, those that came last: what comes again is known by them, or what is missing
     */
    public record Bounds(int recordBytes, long bufferBytes, long logBytes, int keys) {
    }

    /**
     * Where the records are.
     *
     * @param registry that has the schemas of records; null without
     */
    public record From(Loading connector, ConnectorSettings settings, PositionSourceOptions.Registry registry) {
    }
}
