package io.despina.operator.sink.socket;

import io.despina.operator.Probe;
import io.despina.operator.Reason;
import io.despina.operator.sink.socket.HttpSinkOptions.To;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks a server by OPTIONS, which changes nothing, with the headers and secrets of a sink; it posts nothing. */
public record HttpProbe(To to) implements Probe {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int PROXY = 407;

    @Override
    public String run(long millis) throws IOException, InterruptedException {
        HttpClient client = HttpSink.client(to, Duration.ofMillis(millis));
        HttpRequest.Builder request = HttpSink.request(to, "text/plain", secret -> { }).timeout(Duration.ofMillis(millis));
        int status;
        try {
            status = client.send(request.method("OPTIONS", HttpRequest.BodyPublishers.noBody()).build(),
                    HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException why) {
            throw new IOException("`url` " + to.url() + ": " + Reason.of(why), why);
        }
        if (status == UNAUTHORIZED || status == FORBIDDEN || status == PROXY) {
            throw new IOException("`url` " + to.url() + " answers " + status + (to.secrets().isEmpty()
                    ? ": it wants a token or another secret" : ": it does not want the secret"));
        }
        return to.url() + " answers " + status + " to OPTIONS";
    }
}
