package io.despina.operator.sink;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.sink.FileSinkOptions.Records;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import java.util.function.Function;

/**
 * What a {@link WebSocketSink} sends, and where to.
 *
 * @param formatters  gives Spark's formatter for what the byte-level writer does not write; called when first needed
 * @param retryMillis how long the peer may be away before the job fails
 */
public record WebSocketSinkOptions(To to, Records records, Function<TextOptions, RecordFormatter> formatters,
        long retryMillis) {

    /**
     * Where to send.
     *
     * @param token null for none
     * @param tls   null for what Java trusts
     */
    public record To(String url, TokenPlace token, TlsFiles tls) {
    }
}
