package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.HttpFields;
import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.HttpProbe;
import io.despina.operator.sink.socket.HttpSink;
import io.despina.operator.sink.socket.HttpSinkOptions;
import io.despina.operator.sink.socket.HttpSinkOptions.Batch;
import io.despina.operator.sink.socket.HttpSinkOptions.Times;
import io.despina.operator.sink.socket.HttpSinkOptions.To;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.socket.TokenPlace;
import io.despina.spec.Blocking;
import io.despina.spec.FileFormat;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.Map;

/** {@code http_sink}. */
public final class HttpSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("http_sink", Family.SINKS,
            "Posts rows in batches, one request after the other, and waits for each answer; docs/sockets.md says more. A "
            + "slow peer slows the job."
            + "\n- If no answer comes, and after 408, 429 and 5xx, it sends the batch again, with waits that double, or as "
            + "long as the header `Retry-After` says. So each row arrives at least once, and in order. After 409 to a batch "
            + "that it has sent before, on which the peer may still work, it does so for `timeout_ms`."
            + "\n- A batch that is sent again has the same `Idempotency-Key`, by which the peer can tell that it has the "
            + "batch already."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`). Batches "
            + "then have the same rows and the same keys whenever the epoch is sent again, also by the next process."
            + "\n- After any other answer that is not 2xx, the batch's rows go to `on_error`, with the answer as the reason. "
            + "Redirections are not followed.",
            List.of("in"), List.of("errors"), List.of(
                    required("url", TEXT, "`http://…` or `https://…`, without a user or a password."),
                    SocketFields.WRITE_FORMAT, SocketFields.WRITE_OPTIONS,
                    or("body", words("lines", "a row each", "array", "one JSON array of the rows"), "\"lines\"",
                            "What a body is. With the option `header`, each body of csv has one."),
                    HttpFields.HEADERS, HttpFields.HEADERS_ENV, HttpFields.TOKEN_ENV, HttpFields.TOKEN_FILE,
                    or("batch_rows", new FieldKind.Whole(1, 1_000_000), "1000", "A request leaves when it has so many rows."),
                    or("batch_bytes", new FieldKind.Whole(1, 1 << 28), "1048576", "It leaves when it has so many bytes, too."),
                    or("flush_after_ms", MILLIS, "100", "It leaves when its first row has waited so long, too."),
                    or("timeout_ms", POSITIVE_MILLIS, "30000", "How long it waits for an answer."),
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    SocketFields.RETRY, SocketFields.CLIENT_TLS, SinkMode.APPEND_ONLY), """
                "posted": {
                  "type": "http_sink",
                  "url": "http://127.0.0.1:8081/alarms",
                  "format": "json",
                  "token_env": "ALARMS_TOKEN"
                }
                """);

    HttpSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Write records = SocketFields.written(context);
        if (records == null || !SinkMode.isAppend(context) || !SocketFields.hasKey(context)
                || !SocketFields.hasOneToken(context)) {
            return null;
        }
        String url = fields.string("url", "");
        if (!HttpFields.isUrl(url)) {
            return context.refuse(fields.place("url"), Rule.PATH, "this is no URL that rows can be posted to",
                    "http://host:port/path, without a user, a password, a fragment or spaces");
        }
        boolean array = fields.string("body", "").equals("array");
        if (array && records.format() != FileFormat.JSON) {
            return context.refuse(fields.place("body"), Rule.EXCLUSIVE, "`body` array is for format json", "leave it out");
        }
        To to = new To(url, fields.strings("headers"), secrets(context), SocketFields.tls(context));
        return PlanningResult.of(new HttpSinkSpec(to, records, array,
                new Batch((int) fields.whole("batch_rows", 0), (int) fields.whole("batch_bytes", 0),
                        fields.whole("flush_after_ms", 0)),
                new Times(fields.whole("timeout_ms", 0), fields.whole("retry_for_ms", 0)), Leaving.of(context)), null);
    }

    private static Map<String, TokenPlace> secrets(PlanningContext context) {
        Map<String, TokenPlace> secrets = HttpFields.secrets(context, "headers_env");
        TokenPlace token = SocketFields.token(context);
        if (token != null) {
            secrets.put(To.AUTHORIZATION, token);
        }
        return secrets;
    }

    public record HttpSinkSpec(To to, RecordFormat.Write records, boolean array, Batch batch, Times times, Leaving leaving)
            implements LeavingSpec {

        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "rows that were on their way are posted again, under the same keys",
                    "write to a file_sink");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return SocketFields.SINK_GAPS;
        }

        @Override
        public Probe probe(InstanceContext making) {
            return new HttpProbe(to);
        }

        @Override
        public Operator make(InstanceContext making) {
            return leaving.of(new HttpSink(new HttpSinkOptions(to, records, Expressions::formatter, array, batch, times)),
                    making);
        }
    }
}
