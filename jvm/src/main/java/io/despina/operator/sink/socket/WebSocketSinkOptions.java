package io.despina.operator.sink.socket;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.record.RecordFormat;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import java.util.function.Function;

/**
 * What a {@link WebSocketSink} sends, and where to.
 *
 * @param formatters  gives Spark's formatter for what the byte-level writer does not write; called when first needed
 */
public record WebSocketSinkOptions(To to, RecordFormat.Write records, Function<TextOptions, RecordFormatter> formatters,
        Times times) {

    /**
     * Where to send.
     *
     * @param token null for none
     * @param tls   null for what Java trusts
     */
    public record To(String url, TokenPlace token, TlsFiles tls) {
    }

    /**
     * How long it waits.
     *
     * @param writeMillis while the peer takes nothing, until the connection counts as broken; 0 for as long as it likes
     * @param retryMillis while the peer is away, until the job fails
     */
    public record Times(long writeMillis, long retryMillis) {
    }
}
