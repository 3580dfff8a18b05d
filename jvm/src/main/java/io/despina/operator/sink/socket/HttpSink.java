package io.despina.operator.sink.socket;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import io.despina.operator.Reason;
import io.despina.operator.Retries;
import io.despina.operator.outbox.LeavingSink;
import io.despina.operator.record.RecordEncoder;
import io.despina.operator.record.RowBatch;
import io.despina.operator.sink.socket.HttpSinkOptions.To;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.socket.HttpAnswer;
import io.despina.socket.RetryAfter;
import io.despina.socket.TokenPlace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Posts packets in batches, one request after the other, and waits for each answer. A request that failed, or whose answer is
 * lost, is sent again under the same {@code Idempotency-Key}. Within an epoch
 * the keys are numbered, so that they are the same when the epoch is sent again. No row is in it when a barrier goes on.
 */
public final class HttpSink implements LeavingSink {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final int REQUEST_TIMEOUT = 408;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int SUCCESS = 2;
    private static final int HUNDRED = 100;
    /** Bytes of an answer that a message shows. */
    private static final int SHOWN = 300;

    private final HttpSinkOptions options;
    private final Retries.Waiting waiting;
    private final List<String> secrets = new ArrayList<>();
    private OperatorContext context;
    private HttpClient client;
    private HttpRequest.Builder request;
    private Retries backoff;
    private RowBatch batch;
    /** What the keys of requests begin with, and how many there were since. */
    private String name;
    private long requests;
    /** Whether an epoch was begun, and whether a batch of this one may have been on its way when an earlier process was lost. */
    private boolean begun;
    private boolean mayHaveLeft;
    /** Since when the peer says that it still works on the batch. */
    private long atWorkSince;
    /** Why the peer does not want the batch; null if it has not said so. */
    private String rejected;
    /** How many of its rows have gone to {@code on_error}. */
    private int handed;

    public HttpSink(HttpSinkOptions options) {
        this(options, Retries.Waiting.REAL);
    }

    HttpSink(HttpSinkOptions options, Retries.Waiting waiting) {
        this.options = options;
        this.waiting = waiting;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        name = UUID.randomUUID() + "-" + context.instance();
        context.stateBytes(options.batch().bytes());
        batch = new RowBatch(new RecordEncoder(options.records(), options.formatters(), context.input(0)), options.array());
        backoff = new Retries(context, options.times().retryMillis(), waiting);
        client = client(options.to(), CONNECT);
        request = request(options.to(), contentType(), secrets::add);
    }

    static HttpClient client(To to, Duration connect) throws IOException {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connect);
        return (to.tls() == null ? builder : builder.sslContext(to.tls().context())).build();
    }

    /** What every request begins with. @param known is told each secret */
    static HttpRequest.Builder request(To to, String contentType, Consumer<String> known) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(to.url())).setHeader("Content-Type", contentType);
        to.headers().forEach(request::setHeader);
        for (Map.Entry<String, TokenPlace> each : to.secrets().entrySet()) {
            String secret = each.getValue().read();
            known.accept(secret);
            request.setHeader(each.getKey(), each.getKey().equals(To.AUTHORIZATION) ? "Bearer " + secret : secret);
        }
        return request;
    }

    @Override
    public void begin(String outbox, long epoch) {
        mayHaveLeft = !begun && context.isRestored();
        begun = true;
        name = outbox + "-" + epoch;
        requests = 0;
    }

    private String contentType() {
        return switch (options.records().format()) {
            case CSV -> "text/csv; charset=utf-8";
            case TEXT -> "text/plain; charset=utf-8";
            case INFLUX -> "text/plain; charset=utf-8";
            case JSON -> options.array() ? "application/json" : "application/x-ndjson";
            case PARQUET, RAW, AVRO, PROTOBUF, XML -> throw new IllegalArgumentException("these are no lines");
        };
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!handOver()) {
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            boolean first = batch.rows() == 0;
            batch.add(packet, context);
            if (first && batch.rows() > 0) {
                context.wakeAt(context.wallMicros() + TimeUnit.MILLISECONDS.toMicros(options.batch().flushMillis()));
            }
            boolean full = batch.rows() >= options.batch().rows() || batch.size() >= options.batch().bytes();
            if (full && !send()) {
                return;
            }
        }
    }

    /** Posts the batch. @return as {@link #handOver} */
    private boolean send() throws Exception {
        if (batch.rows() > 0 && rejected == null) {
            post();
        }
        return handOver();
    }

    private void post() throws IOException, InterruptedException {
        HttpRequest post = request.setHeader("Idempotency-Key", name + "-" + requests)
                .POST(HttpRequest.BodyPublishers.ofByteArray(batch.bytes())).build();
        requests++;
        boolean sent = mayHaveLeft;
        atWorkSince = NEVER;
        for (boolean answered = false; !answered; sent = true) {
            long least = 0;
            boolean busy = false;
            String problem;
            try {
                HttpResponse<byte[]> answer = answer(post);
                String text = Reason.visible(withoutSecrets(new String(answer.body(), StandardCharsets.UTF_8).strip()));
                int status = answer.statusCode();
                problem = options.to().url() + " answers " + status + (text.isEmpty() ? "" : ": " + text);
                busy = status == TOO_MANY_REQUESTS || sent && status == CONFLICT && isAtWork();
                answered = status < SERVER_ERROR && !busy && status != REQUEST_TIMEOUT;
                rejected = answered && status / HUNDRED != SUCCESS ? problem : null;
                least = RetryAfter.nanos(answer.headers());
            } catch (IOException e) {
                problem = "cannot reach " + options.to().url() + ": " + withoutSecrets(Reason.of(e));
            }
            if (!answered) {
                if (!busy) {
                    backoff.tell(problem);
                }
                backoff.await(least, problem);
            }
        }
        backoff.reset();
        if (rejected == null) {
            clear();
        }
    }

    /**
     * Whether the peer still works on what it had before: then it says 409. It is given as long for that as for an answer. One
     * that says 409 then means something else by it, and says it of each batch that it has: only one of them was on its way.
     */
    private boolean isAtWork() {
        long now = context.clock().getAsLong();
        atWorkSince = atWorkSince == NEVER ? now : atWorkSince;
        boolean is = now - atWorkSince < TimeUnit.MILLISECONDS.toNanos(options.times().answerMillis());
        mayHaveLeft &= is;
        return is;
    }

    private HttpResponse<byte[]> answer(HttpRequest post) throws IOException, InterruptedException {
        long most = options.times().answerMillis();
        try {
            return HttpAnswer.of(client, post, SHOWN, most);
        } catch (TimeoutException e) {
            throw new IOException("no answer within timeout_ms=" + most, e);
        }
    }

    private String withoutSecrets(String text) {
        String shown = text;
        for (String secret : secrets) {
            shown = shown.replace(secret, "…");
        }
        return shown;
    }

    /**
     * Hands the rows of a batch that the peer does not want to {@code on_error}.
     *
     * @return whether none is left
     */
    private boolean handOver() throws Exception {
        if (rejected == null) {
            return true;
        }
        while (handed < batch.rows() && context.hasRoom()) {
            handed++;
            context.badRecord(rejected, batch.row(handed - 1));
        }
        if (handed < batch.rows()) {
            return false;
        }
        clear();
        return true;
    }

    private void clear() {
        batch.clear();
        rejected = null;
        handed = 0;
        context.wakeAt(Long.MAX_VALUE);
    }

    /** The batch's first row has waited long enough. */
    @Override
    public boolean timer(long micros) throws Exception {
        return send();
    }

    @Override
    public boolean release() throws Exception {
        return send();
    }
}
