package io.despina.operator.sink.socket;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.record.RecordFormat;
import io.despina.socket.SocketClient;
import java.util.function.Function;

/**
 * What a {@link TcpSink} writes, and where to.
 *
 * @param formatters     gives Spark's formatter for what the byte-level writer does not write; called when first needed
 * @param lengthPrefixed whether each record follows its length, in place of lines
 * @param retryMillis    how long the peer may be away before the job fails
 */
public record TcpSinkOptions(SocketClient.Address address, RecordFormat.Write records,
        Function<TextOptions, RecordFormatter> formatters,
        boolean lengthPrefixed, long retryMillis) {
}
