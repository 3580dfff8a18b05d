package io.despina.nats;

import io.despina.connect.Records;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Messages of a stream. The indexes are those of {@code NatsSourceDefinition}. */
final class StreamBatch implements Records {
    private static final int SUBJECT = 0;
    private static final int SEQUENCE = 1;
    private static final int TIME = 2;
    private static final int HEADERS = 3;
    /** Of the objects around a message. */
    private static final int OVERHEAD = 300;

    private final String stream;
    private final List<Message> messages;
    private final String behind;
    private final boolean last;
    private final Passage passage;
    private final long bytes;
    private int at = -1;
    private Message message;

    /** @param place behind them */
    StreamBatch(Place place, List<Message> messages, boolean last) {
        stream = place.stream;
        this.messages = messages;
        this.last = last;
        behind = Long.toString(place.next);
        passage = !messages.isEmpty() || last ? Passage.READ : place.isDrained() ? Passage.DRAINED : Passage.MOVED;
        bytes = messages.stream().mapToLong(StreamBatch::size).sum();
    }

    /** Memory that a message takes. */
    static long size(Message message) {
        Headers headers = message.getHeaders();
        return OVERHEAD + message.getSubject().length() + message.getData().length
                + (headers == null ? 0 : 2L * headers.serializedLength());
    }

    @Override
    public Passage passage() {
        return passage;
    }

    @Override
    public String partition() {
        return stream;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public boolean next() {
        if (at + 1 >= messages.size()) {
            at = messages.size();
            return false;
        }
        message = messages.get(++at);
        return true;
    }

    private static long number(Message of) {
        return of.metaData().streamSequence();
    }

    @Override
    public String at() {
        return messages.isEmpty() ? behind : Long.toString(number(messages.get(Math.min(Math.max(at, 0), messages.size() - 1))));
    }

    @Override
    public String behind() {
        return at < 0 ? at() : at == messages.size() ? behind : Long.toString(number(message) + 1);
    }

    @Override
    public boolean isLast() {
        return last;
    }

    @Override
    public byte[] value() {
        return message.getData();
    }

    @Override
    public int from() {
        return 0;
    }

    @Override
    public int to() {
        return message.getData().length;
    }

    @Override
    public String where() {
        return stream + "@" + number(message);
    }

    @Override
    public long arrived() {
        return number(TIME);
    }

    @Override
    public boolean isMissing(int index) {
        return false;
    }

    @Override
    public long number(int index) {
        return switch (index) {
            case SEQUENCE -> number(message);
            case TIME -> {
                ZonedDateTime time = message.metaData().timestamp();
                yield TimeUnit.SECONDS.toMicros(time.toEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(time.getNano());
            }
            default -> throw new IllegalArgumentException("no number has the index " + index);
        };
    }

    @Override
    public byte[] binary(int index) {
        if (index != SUBJECT) {
            throw new IllegalArgumentException("no text has the index " + index);
        }
        return message.getSubject().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[][] pairs(int index) {
        if (index != HEADERS) {
            throw new IllegalArgumentException("no pairs have the index " + index);
        }
        List<byte[]> pairs = new ArrayList<>();
        Headers headers = message.getHeaders();
        if (headers != null) {
            headers.forEach((name, values) -> values.forEach(value -> {
                pairs.add(name.getBytes(StandardCharsets.UTF_8));
                pairs.add(value.getBytes(StandardCharsets.UTF_8));
            }));
        }
        return pairs.toArray(byte[][]::new);
    }
}
