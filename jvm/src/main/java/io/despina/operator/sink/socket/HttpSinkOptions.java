package io.despina.operator.sink.socket;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.record.RecordFormat;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import java.util.Map;
import java.util.function.Function;

/**
 * What an {@link HttpSink} posts, and where to.
 *
 * @param formatters gives Spark's formatter for what the byte-level writer does not write; called when first needed
 * @param array      whether a body is one JSON array, in place of lines
 */
public record HttpSinkOptions(To to, RecordFormat.Write records, Function<TextOptions, RecordFormatter> formatters, boolean array,
        Batch batch, Times times) {

    /**
     * Where to post.
     *
     * @param headers   of every request
     * @param secrets   of every request: where each value is
     * @param tls       null for what Java trusts
     */
    public record To(String url, Map<String, String> headers, Map<String, TokenPlace> secrets, TlsFiles tls) {
        /** The header whose secret is a bearer's token. */
        public static final String AUTHORIZATION = "Authorization";
    }

    /**
     * How much goes into one request.
     *
     * @param flushMillis when a row has waited so long, its request leaves
     */
    public record Batch(int rows, int bytes, long flushMillis) {
    }

    /**
     * How long it waits.
     *
     * @param answerMillis for an answer
     * @param retryMillis  while the peer is away or fails, until the job fails
     */
    public record Times(long answerMillis, long retryMillis) {
    }
}
