package io.despina.nats;

import io.despina.connect.RecordContent;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A view of a message of a subject. The indexes are those of {@code NatsSourceDefinition}. Its bytes:
 * <pre>
 * 0 version | 1 arrival, microseconds since 1970 | 9 number of headers, then the texts: subject, name, value, name, … | body
 * </pre>
 * A text is its length, 4 bytes, and its UTF-8.
 */
final class SubjectMessage implements RecordContent {
    private static final byte VERSION = 1;
    private static final int ARRIVAL = 1;
    private static final int COUNT = 9;
    private static final int TEXTS = 13;
    private static final int SUBJECT_INDEX = 0;
    private static final int TIME_INDEX = 2;
    private static final int HEADERS_INDEX = 3;

    private byte[] bytes;
    private ByteBuffer buffer;
    private int length;
    private int body;

    /** The bytes of a message that has just come. */
    static byte[] of(Message message, long arrivedMicros) {
        List<byte[]> texts = new ArrayList<>();
        texts.add(message.getSubject().getBytes(StandardCharsets.UTF_8));
        Headers headers = message.getHeaders();
        if (headers != null) {
            headers.forEach((name, values) -> values.forEach(value -> {
                texts.add(name.getBytes(StandardCharsets.UTF_8));
                texts.add(value.getBytes(StandardCharsets.UTF_8));
            }));
        }
        int size = TEXTS + message.getData().length;
        for (byte[] each : texts) {
            size += Integer.BYTES + each.length;
        }
        ByteBuffer to = ByteBuffer.allocate(size).put(VERSION).putLong(arrivedMicros).putInt(texts.size() / 2);
        texts.forEach(each -> to.putInt(each.length).put(each));
        return to.put(message.getData()).array();
    }

    /** @throws IOException if another version of the connector made the bytes */
    SubjectMessage read(byte[] from, int to) throws IOException {
        if (from[0] != VERSION) {
            throw new IOException("a message in the log is of another version of the connector for NATS");
        }
        bytes = from;
        buffer = ByteBuffer.wrap(from);
        length = to;
        body = behind(2 * buffer.getInt(COUNT) + 1);
        return this;
    }

    /** Where so many texts end. */
    private int behind(int texts) {
        int at = TEXTS;
        for (int k = 0; k < texts; k++) {
            at += Integer.BYTES + buffer.getInt(at);
        }
        return at;
    }

    private byte[] textAt(int at) {
        int from = at + Integer.BYTES;
        return Arrays.copyOfRange(bytes, from, from + buffer.getInt(at));
    }

    @Override
    public byte[] value() {
        return bytes;
    }

    @Override
    public int from() {
        return body;
    }

    @Override
    public int to() {
        return length;
    }

    @Override
    public String where() {
        return new String(textAt(TEXTS), StandardCharsets.UTF_8);
    }

    @Override
    public boolean isMissing(int index) {
        return false;
    }

    @Override
    public long number(int index) {
        if (index != TIME_INDEX) {
            throw new IllegalArgumentException("no number has the index " + index);
        }
        return buffer.getLong(ARRIVAL);
    }

    @Override
    public byte[] binary(int index) {
        if (index != SUBJECT_INDEX) {
            throw new IllegalArgumentException("no text has the index " + index);
        }
        return textAt(TEXTS);
    }

    @Override
    public byte[][] pairs(int index) {
        if (index != HEADERS_INDEX) {
            throw new IllegalArgumentException("no pairs have the index " + index);
        }
        byte[][] pairs = new byte[2 * buffer.getInt(COUNT)][];
        int at = behind(1);
        for (int k = 0; k < pairs.length; k++) {
            pairs[k] = textAt(at);
            at += Integer.BYTES + pairs[k].length;
        }
        return pairs;
    }
}
