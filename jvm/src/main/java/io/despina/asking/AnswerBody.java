package io.despina.asking;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The body of an answer, for one thread that takes it part by part. At most one part is read ahead: a server whose answer is not
 * taken is not read.
 */
final class AnswerBody implements HttpResponse.BodySubscriber<AnswerBody>, AutoCloseable {
    /** The client's threads add, the reader's thread takes. */
    private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    /** Guarded by this. */
    private Flow.Subscription subscription;
    /** Guarded by this. */
    private boolean closed;

    /**
     * What has come.
     *
     * @param bytes  null at the end
     * @param broken why that is no end; null if it is one
     */
    private record Part(List<ByteBuffer> bytes, Throwable broken) {
    }

    @Override
    public CompletionStage<AnswerBody> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription subscribed) {
        subscription = subscribed;
        if (closed) {
            subscribed.cancel();
        } else {
            subscribed.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
        parts.add(new Part(bytes, null));
    }

    @Override
    public void onError(Throwable cause) {
        parts.add(new Part(null, cause));
    }

    @Override
    public void onComplete() {
        parts.add(new Part(null, null));
    }

    /**
     * The next part; null at the end.
     *
     * @throws TimeoutException if none comes for so long
     * @throws IOException      if the answer breaks off
     */
    byte[] next(long millis) throws IOException, InterruptedException, TimeoutException {
        Part part = parts.poll(millis, TimeUnit.MILLISECONDS);
        if (part == null) {
            throw new TimeoutException();
        }
        if (part.bytes == null) {
            parts.add(part);        // for whoever asks again
            if (part.broken != null) {
                throw part.broken instanceof IOException broken ? broken : new IOException(part.broken);
            }
            return null;
        }
        synchronized (this) {
            subscription.request(1);
        }
        byte[] bytes = new byte[part.bytes.stream().mapToInt(ByteBuffer::remaining).sum()];
        int at = 0;
        for (ByteBuffer each : part.bytes) {
            int length = each.remaining();
            each.get(bytes, at, length);
            at += length;
        }
        return bytes;
    }

    /**
     * The whole body, or its beginning: the rest is not read.
     *
     * @param most bytes that are wanted
     */
    byte[] upTo(int most, long millis) throws IOException, InterruptedException, TimeoutException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part;
        while (all.size() < most && (part = next(millis)) != null) {
            all.write(part, 0, Math.min(part.length, most - all.size()));
        }
        if (all.size() >= most) {
            close();
        }
        return all.toByteArray();
    }

    /** What has not come is not wanted. */
    @Override
    public synchronized void close() {
        closed = true;
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
