package io.despina.asking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.despina.asking.AskedServer.BasicLogin;
import io.despina.asking.AskedServer.BearerLogin;
import io.despina.asking.AskedServer.ClientLogin;
import io.despina.asking.AskedServer.ServerLogin;
import io.despina.json.Json;
import io.despina.socket.HttpLogin;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** What stands in the header {@code Authorization}. Secrets are read for each request, so that a file may get another one. */
final class Authorization {
    private static final int MOST_BYTES = 1 << 16;
    /** A token is renewed when so many tenths of its life are over. */
    private static final int TENTHS = 9;
    private static final int ALL_TENTHS = 10;

    /** Sends a request to a token server. */
    interface Sender {
        HttpResponse<AnswerBody> send(HttpRequest request, String shown) throws IOException, InterruptedException;

        /** All of a token's answer; of another one the beginning. */
        byte[] body(HttpResponse<AnswerBody> answer, int most) throws IOException, InterruptedException;
    }

    private final ServerLogin login;
    private final HiddenWords hidden;
    private final LongSupplier nanos;
    private final Sender sender;
    /** What was sent last; null before. */
    private String last;
    /** The token server's; null if there is none. */
    private String token;
    private long obtained;
    /** How long the token is used; {@code Long.MAX_VALUE} if its server does not say how long it lives. */
    private long lifeNanos;

    /** @param login null without one */
    Authorization(ServerLogin login, HiddenWords hidden, LongSupplier nanos, Sender sender) {
        this.login = login;
        this.hidden = hidden;
        this.nanos = nanos;
        this.sender = sender;
    }

    boolean isThere() {
        return login != null;
    }

    /** The header; null without a login. */
    String header() throws IOException, InterruptedException {
        if (login == null) {
            return null;
        }
        if (login instanceof BearerLogin bearer) {
            last = "Bearer " + hidden.add(bearer.token().read());
        } else if (login instanceof BasicLogin basic) {
            hidden.add(basic.password().read());
            last = HttpLogin.basic(basic.user().read(), basic.password().read());
            hidden.add(last.substring("Basic ".length()));
        } else {
            ClientLogin client = (ClientLogin) login;
            if (token == null || nanos.getAsLong() - obtained >= lifeNanos) {
                obtain(client);
            }
            last = "Bearer " + token;
        }
        return last;
    }

    /** The server does not take the login. @return whether there may be another one now */
    boolean renew() throws IOException, InterruptedException {
        token = null;
        String before = last;
        return login != null && !header().equals(before);
    }

    private void obtain(ClientLogin client) throws IOException, InterruptedException {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "client_credentials");
        form.putAll(client.form());
        String secret = hidden.add(client.secret().read());
        String basic = HttpLogin.basic(encoded(client.id()), encoded(secret));
        hidden.add(basic.substring("Basic ".length()));
        HttpRequest request = HttpRequest.newBuilder(URI.create(client.url())).header("Authorization", basic)
                .header("Accept", "application/json").header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form.entrySet().stream()
                        .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                        .collect(Collectors.joining("&")))).build();
        long asked = nanos.getAsLong();
        String shown = "the token server " + client.url();
        HttpResponse<AnswerBody> answer = sender.send(request, shown);
        byte[] body = sender.body(answer, MOST_BYTES);
        int status = answer.statusCode();
        if (status != HttpURLConnection.HTTP_OK) {
            throw HttpAsker.failed(status, shown + " answers " + status + said(body), answer.headers());
        }
        JsonNode tree;
        try {
            tree = Json.tree(body);
        } catch (JsonProcessingException e) {
            throw new AnswerRefusedException(shown + " answers with what is no JSON", e);
        }
        String given = tree.path("access_token").asText("");
        if (given.isEmpty() || !given.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new AnswerRefusedException(shown + " gives no `access_token`");
        }
        token = hidden.add(given);
        obtained = asked;
        double seconds = tree.path("expires_in").asDouble(0);
        lifeNanos = seconds <= 0 ? Long.MAX_VALUE
                : (long) (seconds * TimeUnit.SECONDS.toNanos(1) / ALL_TENTHS * TENTHS);
    }

    private String said(byte[] body) {
        try {
            JsonNode tree = Json.tree(body);
            String error = tree.path("error_description").asText(tree.path("error").asText(""));
            return error.isEmpty() ? "" : ": " + HttpAsker.visible(hidden, error);
        } catch (JsonProcessingException noJson) {
            return "";
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
