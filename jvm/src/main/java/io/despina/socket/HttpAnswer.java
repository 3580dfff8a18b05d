package io.despina.operator.sink.socket;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** The beginning of an answer's text, as much as a message shows. The rest is not read. */
final class AnswerStart implements HttpResponse.BodySubscriber<String> {
    private static final int MOST = 300;

    private final CompletableFuture<String> text = new CompletableFuture<>();
    private final byte[] bytes = new byte[MOST];
    private int length;
    private Flow.Subscription subscription;

    @Override
    public CompletionStage<String> getBody() {
        return text;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscribed) {
        subscription = subscribed;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            int taken = Math.min(part.remaining(), MOST - length);
            part.get(bytes, length, taken);
            length += taken;
        }
        if (length == MOST) {
            subscription.cancel();
            onComplete();
        }
    }

    @Override
    public void onError(Throwable cause) {
        text.completeExceptionally(cause);
    }

    @Override
    public void onComplete() {
        text.complete(new String(bytes, 0, length, StandardCharsets.UTF_8));
    }
}
