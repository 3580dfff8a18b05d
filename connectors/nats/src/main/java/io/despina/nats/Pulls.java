package io.despina.nats;

import io.despina.connect.LostException;
import io.nats.client.JetStreamApiException;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.impl.NatsJetStreamMetaData;
import io.nats.client.support.NatsJetStreamConstants;
import io.nats.client.support.Status;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Messages of a stream in their order, by a consumer that ends with the connection and acknowledges nothing. The server sends no
 * more than what has been asked for. Of one thread.
 */
final class Pulls implements Closeable {
    /** What is asked for at once. */
    static final int BATCH = 2_000;
    private static final long EXPIRES_S = 30;
    private static final long HEARTBEAT_S = 5;
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3 * HEARTBEAT_S);
    /** The server removes a consumer that nobody has asked for so long. */
    private static final Duration UNUSED = Duration.ofMinutes(1);
    private static final int TIMED_OUT = 408;
    private static final int NONE_THERE = 404;
    private static final int CONFLICT = 409;

    /**
     * What is read.
     *
     * @param filter   of subjects; null for all
     * @param headers  whether headers are enough
     * @param maxBytes of messages that are on their way
     * @param first    how many messages are asked for first; then more and more
     */
    record Wanted(String stream, String filter, boolean headers, long maxBytes, int first) {
    }

    private final Link link;
    private final Wanted wanted;
    private final ConsumerInfo consumer;
    private final Subscription subscription;
    private final String inbox;
    /**
     * Messages that have been asked for, and may still come. The server deals them to its open questions in turn, and a message
     * does not say which one it answers; but the end of a question says how many of it do not come.
     */
    private long outstanding;
    private int batch;
    private long questions;
    private long delivered;
    /** What the client has given, and how much of it there was when {@link #mark} was called. */
    private long taken;
    private long marked;
    private long heard;
    /** The next message is larger than what may be on its way: it comes alone. */
    private boolean alone;

    /**
     * Makes the consumer. Blocks.
     *
     * @param start where it begins
     */
    Pulls(Link link, Wanted wanted, ConsumerConfiguration.Builder start) throws IOException {
        this.link = link;
        this.wanted = wanted;
        batch = wanted.first;
        ConsumerConfiguration made = start.name("despina-" + UUID.randomUUID()).ackPolicy(AckPolicy.None)
                .filterSubject(wanted.filter).headersOnly(wanted.headers ? Boolean.TRUE : null).memStorage(true).numReplicas(1)
                .inactiveThreshold(UNUSED).build();
        consumer = link.asked(() -> link.management().createConsumer(wanted.stream, made));
        inbox = link.connection().createInbox();
        subscription = link.asked(() -> link.connection().subscribe(inbox + ".*"));
        subscription.setPendingLimits(0, 0);        // what is asked for is the limit
        heard = System.nanoTime();
    }

    /** How many messages wait for it, when it was made. */
    long waiting() {
        return consumer.getNumPending();
    }

    /** The number from which it looks for messages. */
    long from() {
        return consumer.getDelivered().getStreamSequence() + 1;
    }

    /** Whether messages may still come without another question. */
    boolean isAsking() {
        return outstanding > 0;
    }

    /** Asks for more, if little is left of what was asked for before. */
    void ask() throws LostException {
        while (outstanding == 0 || !alone && batch == BATCH && outstanding <= BATCH / 2) {
            int count = alone ? 1 : batch;
            String reply = inbox + "." + questions++;
            String question = "{\"batch\":" + count + (alone ? "" : ",\"max_bytes\":" + bytes()) + ",\"expires\":"
                    + TimeUnit.SECONDS.toNanos(EXPIRES_S) + ",\"idle_heartbeat\":" + TimeUnit.SECONDS.toNanos(HEARTBEAT_S) + "}";
            if (outstanding == 0) {
                heard = System.nanoTime();
            }
            try {
                link.connection().publish("$JS.API.CONSUMER.MSG.NEXT." + wanted.stream + "." + consumer.getName(), reply,
                        question.getBytes(StandardCharsets.UTF_8));
            } catch (IllegalStateException e) {
                throw new LostException("the connection has ended", e);
            }
            outstanding += count;
            batch = Math.min(BATCH, 2 * batch);
        }
    }

    /** Of the messages of one question at most. */
    private long bytes() {
        return wanted.maxBytes / 2;
    }

    /** Remembers which messages the client has got up to now. */
    void mark() {
        marked = taken + subscription.getPendingMessageCount();
    }

    /** Whether the client had the message that was taken last before {@link #mark} was called. */
    boolean isMarked() {
        return taken <= marked;
    }

    /**
     * The next message.
     *
     * @param wait for one; null not to wait
     * @return null if there is none yet
     * @throws LostException if this consumer can give no more
     */
    Message next(Duration wait) throws LostException, InterruptedException {
        Message message;
        try {
            message = subscription.nextMessage(wait);
        } catch (IllegalStateException e) {
            throw new LostException("the connection has ended", e);
        }
        if (message == null) {
            if (outstanding > 0 && System.nanoTime() - heard > SILENCE_NANOS || !link.isOpen()) {
                throw new LostException("the server is silent", null);
            }
            return null;
        }
        taken++;
        if (wait != null) {
            heard = System.nanoTime();
        }
        if (message.isStatusMessage()) {
            told(message);
            return null;
        }
        NatsJetStreamMetaData at = message.metaData();
        if (at.consumerSequence() != ++delivered) {
            throw new LostException("a message did not arrive", null);
        }
        outstanding = Math.max(0, outstanding - 1);
        alone = false;
        return message;
    }

    private void told(Message message) throws LostException {
        Status status = message.getStatus();
        if (status.isHeartbeat() || is(status, Status.BATCH_COMPLETED)) {      // the second: all of its messages came before
            return;
        }
        boolean tooLarge = is(status, Status.MESSAGE_SIZE_EXCEEDS_MAX_BYTES);
        if (!tooLarge && status.getCode() != TIMED_OUT && status.getCode() != NONE_THERE) {
            throw new LostException(status.getMessageWithCode(), null);
        }
        alone |= tooLarge && number(message, NatsJetStreamConstants.NATS_PENDING_BYTES, bytes()) >= bytes();
        outstanding = Math.max(0, outstanding - number(message, NatsJetStreamConstants.NATS_PENDING_MESSAGES, outstanding));
    }

    private static boolean is(Status status, String what) {
        return status.getCode() == CONFLICT && status.getMessage().equalsIgnoreCase(what);
    }

    private static long number(Message message, String header, long otherwise) {
        String written = message.getHeaders() == null ? null : message.getHeaders().getFirst(header);
        return written == null ? otherwise : Long.parseLong(written);
    }

    /** Whether the consumer has given all that its stream had up to a number, though it gave no message of that number. */
    boolean isDone() throws IOException {
        ConsumerInfo now = link.asked(() -> link.management().getConsumerInfo(wanted.stream, consumer.getName()));
        return now.getNumPending() == 0 && now.getDelivered().getConsumerSequence() == delivered;
    }

    /** Removes the consumer. */
    @Override
    public void close() {
        if (!link.isOpen()) {
            return;
        }
        try {
            subscription.unsubscribe();
            link.management().deleteConsumer(wanted.stream, consumer.getName());
        } catch (IOException | JetStreamApiException | IllegalStateException leftToTheServer) {
            return;         // it removes what is not used
        }
    }
}
