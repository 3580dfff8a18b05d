package io.despina.mqtt;

import io.despina.connect.RecordContent;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A view of a message that was received. The indexes are those of {@code MqttSourceDefinition}; behind them are the names of
 * levels. Its bytes:
 * <pre>
 * 0 version | 1 flags: 1, 2 qos, 4 retained, 8 duplicate | 2 arrival, microseconds since 1970
 * 10 length of topic | 12 topic | number of properties: 2 bytes | each: length, name, length, value (lengths: 2 bytes) | payload
 * </pre>
 */
final class Message implements RecordContent {
    private static final byte VERSION = 1;
    private static final int ARRIVAL = 2;
    private static final int TOPIC = 10;
    private static final int QOS = 3;
    private static final int RETAINED = 4;
    private static final int DUPLICATE = 8;
    private static final int TOPIC_INDEX = 0;
    private static final int QOS_INDEX = 1;
    private static final int RETAINED_INDEX = 2;
    private static final int DUPLICATE_INDEX = 3;
    private static final int PROPERTIES_INDEX = 4;
    private static final int ARRIVED_INDEX = 5;
    private static final int LEVELS = 6;

    private final Filters filters;
    private byte[] bytes;
    private int length;
    private int topicEnd;
    private int from;
    /** Of the topic; null until they are asked for. */
    private String[] levels;

    Message(Filters filters) {
        this.filters = filters;
    }

    /** The bytes of a message that has just come. */
    static byte[] of(MqttPublishMessage message, long arrivedMicros) {
        byte[] topic = message.variableHeader().topicName().getBytes(StandardCharsets.UTF_8);
        byte[][] pairs = pairs(message.variableHeader().properties());
        int size = TOPIC + 2 + topic.length + 2 + message.payload().readableBytes();
        for (byte[] each : pairs) {
            size += 2 + each.length;
        }
        byte flags = (byte) (message.fixedHeader().qosLevel().value() | (message.fixedHeader().isRetain() ? RETAINED : 0)
                | (message.fixedHeader().isDup() ? DUPLICATE : 0));
        ByteBuffer to = ByteBuffer.allocate(size).put(VERSION).put(flags).putLong(arrivedMicros).putShort((short) topic.length)
                .put(topic).putShort((short) (pairs.length / 2));
        for (byte[] each : pairs) {
            to.putShort((short) each.length).put(each);
        }
        message.payload().readBytes(to);
        return to.array();
    }

    private static byte[][] pairs(MqttProperties properties) {
        List<?> all = properties.getProperties(MqttProperties.USER_PROPERTY);
        byte[][] pairs = new byte[2 * all.size()][];
        for (int k = 0; k < all.size(); k++) {
            MqttProperties.StringPair pair = ((MqttProperties.UserProperty) all.get(k)).value();
            pairs[2 * k] = pair.key.getBytes(StandardCharsets.UTF_8);
            pairs[2 * k + 1] = pair.value.getBytes(StandardCharsets.UTF_8);
        }
        return pairs;
    }

    /** Of the bytes, without what differs when the message comes again. */
    static String digest(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, TOPIC, bytes.length - TOPIC);
        return Long.toHexString(sum.getValue()) + "-" + bytes.length;
    }

    /** @throws IOException if another version of the connector made the bytes */
    Message read(byte[] from, int to) throws IOException {
        if (from[0] != VERSION) {
            throw new IOException("a message in the log is of another version of the connector for MQTT");
        }
        bytes = from;
        length = to;
        levels = null;
        topicEnd = TOPIC + 2 + two(TOPIC);
        int at = topicEnd + 2;
        for (int k = 0; k < 2 * two(topicEnd); k++) {
            at += 2 + two(at);
        }
        this.from = at;
        return this;
    }

    private int two(int at) {
        return (bytes[at] & 0xFF) << Byte.SIZE | bytes[at + 1] & 0xFF;
    }

    private String topic() {
        return new String(bytes, TOPIC + 2, topicEnd - TOPIC - 2, StandardCharsets.UTF_8);
    }

    @Override
    public byte[] value() {
        return bytes;
    }

    @Override
    public int from() {
        return from;
    }

    @Override
    public int to() {
        return length;
    }

    @Override
    public String where() {
        return topic();
    }

    @Override
    public boolean isMissing(int index) {
        return index >= LEVELS && level(index) == null;
    }

    private String level(int index) {
        if (levels == null) {
            levels = filters.levels(topic());
        }
        return levels[index - LEVELS];
    }

    @Override
    public long number(int index) {
        return switch (index) {
            case QOS_INDEX -> bytes[1] & QOS;
            case RETAINED_INDEX -> (bytes[1] & RETAINED) == 0 ? 0 : 1;
            case DUPLICATE_INDEX -> (bytes[1] & DUPLICATE) == 0 ? 0 : 1;
            case ARRIVED_INDEX -> ByteBuffer.wrap(bytes).getLong(ARRIVAL);
            default -> throw new IllegalArgumentException("no number has the index " + index);
        };
    }

    @Override
    public byte[] binary(int index) {
        return index == TOPIC_INDEX ? slice(TOPIC + 2, topicEnd) : level(index).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] slice(int start, int end) {
        return Arrays.copyOfRange(bytes, start, end);
    }

    @Override
    public byte[][] pairs(int index) {
        if (index != PROPERTIES_INDEX) {
            throw new IllegalArgumentException("no pairs have the index " + index);
        }
        byte[][] pairs = new byte[2 * two(topicEnd)][];
        int at = topicEnd + 2;
        for (int k = 0; k < pairs.length; k++) {
            int end = at + 2 + two(at);
            pairs[k] = slice(at + 2, end);
            at = end;
        }
        return pairs;
    }
}
