package io.despina.operator.source.socket;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.inflow.Inflow;
import io.despina.inflow.Received;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.RecordFormat;
import io.despina.socket.Endpoint;
import io.despina.socket.Framing;
import io.despina.spec.EventTime;
import java.io.IOException;
import java.util.function.Function;

/**
 * What a source of sockets reads.
 *
 * @param eventTime or null
 * @param parsers   gives Spark's parser for what the byte-level reader does not read; called when first needed
 */
public record SocketSourceOptions(RecordFormat.Read records, EventTime eventTime, Function<TextOptions, RecordParser> parsers,
        Framing framing, Bounds bounds, Listening opening) {

    /**
     * What it holds at most.
     *
     * @param recordBytes of one record
     * @param bufferBytes of records that wait; parts of records may take as much again
     * @param logBytes    of what no complete epoch has yet, on the disk of a job that keeps its state
     */
    public record Bounds(int recordBytes, long bufferBytes, long logBytes) {
    }

    /** Opens the sockets. */
    public interface Listening {
        Endpoint open(Inflow<Received> inflow, OperatorContext context) throws IOException;
    }
}
