package io.despina.socket;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The beginning of an answer's body, as much as is wanted. The rest is not read. */
public final class HttpAnswer implements HttpResponse.BodySubscriber<byte[]> {
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final int most;
    private Flow.Subscription subscription;

    private HttpAnswer(int most) {
        this.most = most;
    }

    /**
     * Sends a request and waits for the whole answer: a peer may vanish within it.
     *
     * @param most   bytes of the body
     * @param millis that all of it may take, from the connection to the last byte
     * @throws TimeoutException if it takes longer
     */
    public static HttpResponse<byte[]> of(HttpClient client, HttpRequest request, int most, long millis)
            throws IOException, InterruptedException, TimeoutException {
        CompletableFuture<HttpResponse<byte[]>> answering = client.sendAsync(request, head -> new HttpAnswer(most));
        try {
            return answering.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof IOException broken ? broken : new IOException(cause);
        } finally {
            answering.cancel(true);
        }
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscribed) {
        subscription = subscribed;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            byte[] taken = new byte[Math.min(part.remaining(), most - bytes.size())];
            part.get(taken);
            bytes.writeBytes(taken);
        }
        if (bytes.size() == most) {
            subscription.cancel();
            onComplete();
        }
    }

    @Override
    public void onError(Throwable cause) {
        body.completeExceptionally(cause);
    }

    @Override
    public void onComplete() {
        body.complete(bytes.toByteArray());
    }
}
