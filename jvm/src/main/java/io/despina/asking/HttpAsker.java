package io.despina.asking;

import io.despina.connect.ConnectorSettings.HiddenText;
import io.despina.operator.Reason;
import io.despina.operator.Retries;
import io.despina.socket.RetryAfter;
import io.despina.socket.TlsFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * Asks one server, for one thread: logs in, follows redirections within its host, and asks again while it is away. Answers other
 * than 2xx and 304 are exceptions.
 */
final class HttpAsker {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final int MOST_REDIRECTIONS = 5;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int TEMPORARY_REDIRECT = 307;
    private static final int PERMANENT_REDIRECT = 308;
    private static final int SERVER_ERROR = 500;
    private static final int SUCCESS = 2;
    private static final int HUNDRED = 100;
    /** Characters of an answer that a message shows. */
    private static final int SHOWN = 300;
    /** Bytes of it that are looked at for that: a secret may be long, and must not be cut before it is hidden. */
    private static final int SHOWN_BYTES = 1 << 14;
    /** Parts of an answer that is only shown: a server may send it byte by byte. */
    private static final int SHOWN_PARTS = 16;

    private final AskedServer server;
    private final String accept;
    private final HttpClient client;
    private final HiddenWords hidden = new HiddenWords();
    private final Authorization authorization;
    private final Retries retries;

    /** What all sources without files of TLS share: its threads serve any number of connections. */
    private static final class Plain {
        static final HttpClient CLIENT = builder().build();
    }

    /**
     * Connects to nothing yet.
     *
     * @param accept what kinds of answers are wanted
     * @param warn   tells the user
     * @throws IOException if a file of TLS cannot be used
     */
    HttpAsker(AskedServer server, String accept, AskingClock clock, Consumer<String> warn) throws IOException {
        this.server = server;
        this.accept = accept;
        client = server.tls() == null ? Plain.CLIENT : builder().sslContext(server.tls().context()).build();
        authorization = new Authorization(server.login(), hidden, clock.nanos(), new Tokens());
        retries = new Retries(warn, clock.nanos(), server.times().retryMillis(), clock.waiting());
    }

    private static HttpClient.Builder builder() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER);
    }

    /** How messages call a URL. */
    String shown(URI uri) {
        return hidden.hide(uri.toString());
    }

    /** The text without secrets, control characters, and most of its length. */
    String shown(String text) {
        return visible(hidden, text);
    }

    static String visible(HiddenWords hidden, String text) {
        return Reason.visible(Reason.shortened(hidden.hide(text), SHOWN));
    }

    /** Looks whether all secrets are there. */
    void checkSecrets() throws IOException {
        for (HiddenText each : server.secrets().headers().values()) {
            each.read();
        }
        for (HiddenText each : server.secrets().parameters().values()) {
            each.read();
        }
        if (server.login() instanceof AskedServer.BearerLogin bearer) {
            bearer.token().read();
        } else if (server.login() instanceof AskedServer.BasicLogin basic) {
            basic.user().read();
            basic.password().read();
        } else if (server.login() instanceof AskedServer.ClientLogin of) {
            of.secret().read();
        }
    }

    /** Asks once, and takes nothing. @return what the server says, in words */
    static String probe(AskedServer server, long millis) throws IOException, InterruptedException {
        AskedServer once = new AskedServer(server.url(), server.headers(), server.secrets(), server.login(), server.tls(),
                new AskedServer.Times(millis, 0));
        HttpAsker asker = new HttpAsker(once, "*/*", AskingClock.real(), warning -> { });
        try {
            HttpResponse<AnswerBody> answer = asker.ask(URI.create(server.url()), Map.of());
            answer.body().close();
            return asker.shown(answer.uri()) + " answers " + answer.statusCode();
        } catch (IOException e) {
            throw new IOException("`url` " + e.getMessage(), e);
        }
    }

    /** As {@link #ask}, until there is an answer. */
    <T> T askAgain(OneTry<T> call) throws IOException, InterruptedException {
        while (true) {
            try {
                T answer = call.ask();
                retries.reset();
                return answer;
            } catch (ServerAwayException away) {
                if (!away.isBusy()) {
                    retries.tell(away.getMessage());
                }
                retries.await(away.least(), away.getMessage());
            }
        }
    }

    /** One try. */
    interface OneTry<T> {
        T ask() throws IOException, InterruptedException;
    }

    /**
     * Asks once.
     *
     * @param more headers of this request
     * @throws ServerAwayException    if the server may answer later
     * @throws AnswerRefusedException if it will not
     */
    HttpResponse<AnswerBody> ask(URI uri, Map<String, String> more) throws IOException, InterruptedException {
        HttpResponse<AnswerBody> answer = followed(uri, more);
        if (answer.statusCode() == HttpURLConnection.HTTP_UNAUTHORIZED && renews(answer)) {
            answer = followed(uri, more);
        }
        int status = answer.statusCode();
        if (status / HUNDRED == SUCCESS || status == HttpURLConnection.HTTP_NOT_MODIFIED) {
            return answer;
        }
        String said = shown(new String(beginning(answer, SHOWN_BYTES), StandardCharsets.UTF_8).strip());
        throw failed(status, shown(uri) + " answers " + status + (said.isEmpty() ? "" : ": " + said) + login(status),
                answer.headers());
    }

    /** Whether there is another login. If it cannot be told, or is there, the answer does not matter any more. */
    private boolean renews(HttpResponse<AnswerBody> answer) throws IOException, InterruptedException {
        boolean same = false;
        try {
            same = !authorization.renew();
            return !same;
        } finally {
            if (!same) {
                answer.body().close();
            }
        }
    }

    private String login(int status) {
        boolean refused = status == HttpURLConnection.HTTP_UNAUTHORIZED || status == HttpURLConnection.HTTP_FORBIDDEN;
        return !refused ? "" : authorization.isThere() || !server.secrets().headers().isEmpty()
                ? " (it does not take the login)" : " (it wants a login: see `token_env`, `user`, `oauth2` and `headers_env`)";
    }

    /** What an answer with that status says of asking again. */
    static IOException failed(int status, String problem, HttpHeaders headers) {
        boolean busy = status == TOO_MANY_REQUESTS;
        if (busy || status >= SERVER_ERROR || status == HttpURLConnection.HTTP_CLIENT_TIMEOUT) {
            return new ServerAwayException(problem, RetryAfter.nanos(headers), busy);
        }
        return new AnswerRefusedException(problem);
    }

    private HttpResponse<AnswerBody> followed(URI uri, Map<String, String> more) throws IOException, InterruptedException {
        URI at = uri;
        for (int k = 0; k <= MOST_REDIRECTIONS; k++) {
            HttpResponse<AnswerBody> answer = send(request(at, more), shown(at));
            switch (answer.statusCode()) {
                case HttpURLConnection.HTTP_MOVED_PERM, HttpURLConnection.HTTP_MOVED_TEMP, HttpURLConnection.HTTP_SEE_OTHER,
                        TEMPORARY_REDIRECT, PERMANENT_REDIRECT -> {
                    answer.body().close();
                    URI from = at;
                    String to = answer.headers().firstValue("Location").orElseThrow(() -> new AnswerRefusedException(
                            shown(from) + " answers " + answer.statusCode() + " without the header `Location`"));
                    at = within(from, to, "redirects to");
                }
                default -> {
                    return answer;
                }
            }
        }
        throw new AnswerRefusedException(shown(uri) + " redirects more than " + MOST_REDIRECTIONS + " times");
    }

    /**
     * A URL that an answer names.
     *
     * @param does what the answer does with it, in words
     * @throws AnswerRefusedException if it is none, or of another host: the login is for this one
     */
    URI within(URI from, String to, String does) throws AnswerRefusedException {
        if (to.length() > AskedUrl.MOST) {
            throw new AnswerRefusedException(shown(from) + " " + does + " a URL of more than " + AskedUrl.MOST + " characters");
        }
        URI named;
        try {
            named = AskedUrl.resolved(from, to);
        } catch (IllegalArgumentException e) {
            throw new AnswerRefusedException(shown(from) + " " + does + " what is no URL: " + shown(to), e);
        }
        if (!AskedUrl.areOfOneServer(URI.create(server.url()), named)) {
            throw new AnswerRefusedException(shown(from) + " " + does + " " + shown(named)
                    + ": that is another server; if it is meant, write it into `url`");
        }
        // the server may repeat secrets in a URL; places and messages must not
        return AskedUrl.without(named, server.secrets().parameters().keySet());
    }

    private HttpRequest request(URI uri, Map<String, String> more) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(withSecrets(uri)).header("Accept", accept);
        server.headers().forEach(request::setHeader);
        more.forEach(request::setHeader);
        for (Map.Entry<String, HiddenText> each : server.secrets().headers().entrySet()) {
            request.setHeader(each.getKey(), hidden.add(each.getValue().read()));
        }
        String login = authorization.header();
        if (login != null) {
            request.setHeader("Authorization", login);
        }
        return request.build();
    }

    private URI withSecrets(URI uri) throws IOException {
        URI whole = uri;
        for (Map.Entry<String, HiddenText> each : server.secrets().parameters().entrySet()) {
            String secret = hidden.add(each.getValue().read());
            whole = AskedUrl.with(whole, each.getKey(), secret);
        }
        return whole;
    }

    private HttpResponse<AnswerBody> send(HttpRequest request, String shown) throws IOException, InterruptedException {
        long most = server.times().answerMillis();
        CompletableFuture<HttpResponse<AnswerBody>> answering = client.sendAsync(request, head -> new AnswerBody());
        boolean taken = false;
        try {
            HttpResponse<AnswerBody> answer = answering.get(most, TimeUnit.MILLISECONDS);
            taken = true;
            return answer;
        } catch (TimeoutException e) {
            throw new ServerAwayException("cannot reach " + shown + ": no answer within timeout_ms=" + most, e);
        } catch (ExecutionException e) {
            if (TlsFiles.isOfCertificate(e)) {
                throw new AnswerRefusedException(shown + ": its certificate is not believed: "
                        + shown(Reason.of(e.getCause())), e);
            }
            throw new ServerAwayException("cannot reach " + shown + ": " + shown(Reason.of(e.getCause())), e);
        } finally {
            if (!taken) {
                answering.cancel(true);
                answering.thenAccept(late -> late.body().close());      // it may have come just now
            }
        }
    }

    /** The beginning of a body that is not taken otherwise. */
    private byte[] beginning(HttpResponse<AnswerBody> answer, int most) throws IOException, InterruptedException {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (AnswerBody body = answer.body()) {
            byte[] part;
            for (int k = 0; k < SHOWN_PARTS && said.size() < most
                    && (part = body.next(server.times().answerMillis())) != null; k++) {
                said.write(part, 0, Math.min(part.length, most - said.size()));
            }
        } catch (TimeoutException | IOException e) {
            return said.toByteArray();      // what has come is what there is to show
        }
        return said.toByteArray();
    }

    /**
     * All of a body, unpacked.
     *
     * @param most bytes that it may have
     */
    byte[] whole(HttpResponse<AnswerBody> answer, int most) throws IOException, InterruptedException {
        String shown = shown(answer.uri());
        byte[] bytes;
        try {
            bytes = answer.body().upTo(most + 1, server.times().answerMillis());
        } catch (TimeoutException e) {
            answer.body().close();
            throw new ServerAwayException(shown + " stops within its answer, for timeout_ms="
                    + server.times().answerMillis(), e);
        } catch (IOException e) {
            throw new ServerAwayException(shown + " breaks off its answer: " + shown(Reason.of(e)), e);
        } catch (InterruptedException e) {
            answer.body().close();
            throw e;
        }
        checkLength(bytes, most, shown);
        String packed = answer.headers().firstValue("Content-Encoding").orElse("identity");
        if (packed.equalsIgnoreCase("gzip") || packed.equalsIgnoreCase("x-gzip")) {
            try (GZIPInputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
                bytes = unpacked.readNBytes(most + 1);
            } catch (IOException e) {
                throw new ServerAwayException(shown + " answers with a broken gzip: " + Reason.of(e), e);
            }
        } else if (!packed.equalsIgnoreCase("identity")) {
            throw new AnswerRefusedException(shown + " answers in Content-Encoding " + shown(packed) + ", not gzip");
        }
        checkLength(bytes, most, shown);
        return bytes;
    }

    private static void checkLength(byte[] bytes, int most, String shown) throws AnswerRefusedException {
        if (bytes.length > most) {
            throw new AnswerRefusedException(shown + " answers with more than max_answer_bytes=" + most
                    + ": raise it, or ask for less");
        }
    }

    /** Talks to a token server by the same client. */
    private final class Tokens implements Authorization.Sender {
        @Override
        public HttpResponse<AnswerBody> send(HttpRequest request, String shown) throws IOException, InterruptedException {
            return HttpAsker.this.send(request, shown);
        }

        @Override
        public byte[] body(HttpResponse<AnswerBody> answer, int most) throws IOException, InterruptedException {
            return answer.statusCode() == HttpURLConnection.HTTP_OK ? whole(answer, most) : beginning(answer, most);
        }
    }
}
