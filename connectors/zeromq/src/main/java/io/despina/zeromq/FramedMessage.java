package io.despina.zeromq;

import io.despina.connect.RecordContent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A view of a message of one or two frames: perhaps a topic, and the value. The indexes are those of
 * {@code ZeroMqSourceDefinition}. Its bytes:
 * <pre>
 * 0 version | 1 arrival, microseconds since 1970 | 9 number of frames | 13 length of the topic, -1 for none, then topic, value
 * </pre>
 * Of a message of more frames all behind the first are the value; it is none that can be read.
 */
final class FramedMessage implements RecordContent {
    private static final byte VERSION = 1;
    private static final int ARRIVAL = 1;
    private static final int FRAMES = 9;
    private static final int TOPIC_LENGTH = 13;
    private static final int TOPIC = 17;
    private static final int TOPIC_INDEX = 0;
    private static final int TIME_INDEX = 1;

    private byte[] bytes;
    private ByteBuffer buffer;
    private int length;

    /** The bytes of a message that has just come. @param frames at least one */
    static byte[] of(List<byte[]> frames, long arrivedMicros) {
        boolean hasTopic = frames.size() > 1;
        int size = TOPIC + frames.stream().mapToInt(each -> each.length).sum();
        ByteBuffer to = ByteBuffer.allocate(size).put(VERSION).putLong(arrivedMicros).putInt(frames.size())
                .putInt(hasTopic ? frames.get(0).length : -1);
        frames.forEach(to::put);
        return to.array();
    }

    /** @throws IOException if another version of the connector made the bytes */
    FramedMessage read(byte[] from, int to) throws IOException {
        if (from[0] != VERSION) {
            throw new IOException("a message in the log is of another version of the connector for ZeroMQ");
        }
        bytes = from;
        buffer = ByteBuffer.wrap(from);
        length = to;
        return this;
    }

    @Override
    public String problem() {
        int frames = buffer.getInt(FRAMES);
        return frames <= 2 ? null : "the message has " + frames + " frames: one is read, or two, of which the first is its topic";
    }

    @Override
    public byte[] value() {
        return bytes;
    }

    @Override
    public int from() {
        return TOPIC + Math.max(0, buffer.getInt(TOPIC_LENGTH));
    }

    @Override
    public int to() {
        return length;
    }

    @Override
    public String where() {
        return isMissing(TOPIC_INDEX) ? "" : new String(binary(TOPIC_INDEX), StandardCharsets.UTF_8);
    }

    @Override
    public boolean isMissing(int index) {
        return index == TOPIC_INDEX && buffer.getInt(TOPIC_LENGTH) < 0;
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
        if (index != TOPIC_INDEX) {
            throw new IllegalArgumentException("no text has the index " + index);
        }
        return Arrays.copyOfRange(bytes, TOPIC, TOPIC + buffer.getInt(TOPIC_LENGTH));
    }

    @Override
    public byte[][] pairs(int index) {
        throw new IllegalArgumentException("no pairs have the index " + index);
    }
}
