package io.despina.opcua;

import io.despina.connect.RecordContent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;

/**
 * A view of a value that has come. The indexes are those of {@code OpcUaSourceDefinition}; behind them are the names of levels.
 * Its bytes:
 * <pre>
 * 0 version | 1 whether what follows the texts is what is wrong, and no value | 2 status code | 6 time of the source
 * 14 time of the server | 22 arrival | 30 number of texts, then these: node, path, levels | value as JSON
 * </pre>
 * Times are microseconds since 1970, {@link #NO_TIME} where there is none. A text is its length, 4 bytes, and its UTF-8; the
 * length is -1 where there is none.
 */
final class Reading implements RecordContent {
    static final long TICKS_PER_SECOND = 10_000_000;
    static final long NANOS_PER_TICK = 100;
    static final long SECONDS_1601_TO_1970 = 11_644_473_600L;

    static final long NO_TIME = Long.MIN_VALUE;

    private static final byte VERSION = 1;
    private static final int WRONG = 1;
    private static final int STATUS = 2;
    private static final int SOURCE = 6;
    private static final int SERVER = 14;
    private static final int ARRIVAL = 22;
    private static final int COUNT = 30;
    private static final int TEXTS = 34;
    private static final long TICKS_PER_MICRO = 10;
    private static final long MICROS = 1_000_000;

    private static final int NODE_INDEX = 0;
    private static final int PATH_INDEX = 1;
    private static final int STATUS_INDEX = 2;
    private static final int GOOD_INDEX = 3;
    private static final int TIME_INDEX = 4;
    private static final int SOURCE_INDEX = 5;
    private static final int SERVER_INDEX = 6;
    private static final int ARRIVED_INDEX = 7;
    private static final int OVERFLOW_INDEX = 8;
    private static final int LEVELS = 9;

    private byte[] bytes;
    private ByteBuffer buffer;
    private int length;
    private int from;

    /** The bytes of a value that has just come. @param text gives the value as JSON, or says why it cannot */
    static byte[] of(Item item, DataValue value, Function<Object, String> text, long arrivedMicros) {
        String json;
        byte wrong = 0;
        try {
            json = text.apply(value.getValue());
        } catch (UnsupportedOperationException structure) {
            json = structure.getMessage();
            wrong = 1;
        }
        byte[] last = json.getBytes(StandardCharsets.UTF_8);
        byte[][] texts = new byte[2 + item.levels().length][];
        texts[0] = utf8(item.text());
        texts[1] = utf8(item.path());
        int size = TEXTS + last.length;
        for (int k = 0; k < texts.length; k++) {
            texts[k] = k < 2 ? texts[k] : utf8(item.levels()[k - 2]);
            size += Integer.BYTES + (texts[k] == null ? 0 : texts[k].length);
        }
        StatusCode status = value.getStatusCode();
        ByteBuffer to = ByteBuffer.allocate(size).put(VERSION).put(wrong).putInt(status == null ? 0 : (int) status.getValue())
                .putLong(micros(value.getSourceTime())).putLong(micros(value.getServerTime())).putLong(arrivedMicros)
                .putInt(texts.length);
        for (byte[] each : texts) {
            to.putInt(each == null ? -1 : each.length).put(each == null ? new byte[0] : each);
        }
        return to.put(last).array();
    }

    private static byte[] utf8(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Microseconds since 1970; {@link #NO_TIME} if there is none. */
    static long micros(DateTime time) {
        return time == null || time.isNull() ? NO_TIME
                : Math.floorDiv(time.getUtcTime(), TICKS_PER_MICRO) - SECONDS_1601_TO_1970 * MICROS;
    }

    /** The other way. */
    static DateTime time(long micros) {
        return new DateTime((micros + SECONDS_1601_TO_1970 * MICROS) * TICKS_PER_MICRO);
    }

    /** @throws IOException if another version of the connector made the bytes */
    Reading read(byte[] source, int to) throws IOException {
        if (source[0] != VERSION) {
            throw new IOException("a value in the log is of another version of the connector for OPC UA");
        }
        bytes = source;
        buffer = ByteBuffer.wrap(source);
        length = to;
        from = behind(buffer.getInt(COUNT));
        return this;
    }

    /** Where so many texts end. */
    private int behind(int texts) {
        int at = TEXTS;
        for (int k = 0; k < texts; k++) {
            at += Integer.BYTES + Math.max(0, buffer.getInt(at));
        }
        return at;
    }

    /** Null where there is none. */
    private byte[] text(int which) {
        int at = behind(which);
        int size = buffer.getInt(at);
        return size < 0 ? null : Arrays.copyOfRange(bytes, at + Integer.BYTES, at + Integer.BYTES + size);
    }

    private StatusCode status() {
        return new StatusCode(buffer.getInt(STATUS));
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
        return new String(text(0), StandardCharsets.UTF_8);
    }

    @Override
    public String problem() {
        return bytes[WRONG] == 0 ? null : new String(bytes, from, length - from, StandardCharsets.UTF_8);
    }

    @Override
    public boolean isMissing(int index) {
        return switch (index) {
            case NODE_INDEX, STATUS_INDEX, GOOD_INDEX, TIME_INDEX, ARRIVED_INDEX, OVERFLOW_INDEX -> false;
            case SOURCE_INDEX -> buffer.getLong(SOURCE) == NO_TIME;
            case SERVER_INDEX -> buffer.getLong(SERVER) == NO_TIME;
            default -> text(ordinal(index)) == null;
        };
    }

    /** Of a text among the texts. */
    private static int ordinal(int index) {
        return index == NODE_INDEX ? 0 : index == PATH_INDEX ? 1 : 2 + index - LEVELS;
    }

    @Override
    public long number(int index) {
        return switch (index) {
            case GOOD_INDEX -> status().isGood() ? 1 : 0;
            case OVERFLOW_INDEX -> status().isOverflowSet() ? 1 : 0;
            case SOURCE_INDEX -> buffer.getLong(SOURCE);
            case SERVER_INDEX -> buffer.getLong(SERVER);
            case ARRIVED_INDEX -> buffer.getLong(ARRIVAL);
            case TIME_INDEX -> time();
            default -> throw new IllegalArgumentException("no number has the index " + index);
        };
    }

    private long time() {
        long source = buffer.getLong(SOURCE);
        long server = buffer.getLong(SERVER);
        return source != NO_TIME ? source : server != NO_TIME ? server : buffer.getLong(ARRIVAL);
    }

    @Override
    public byte[] binary(int index) {
        return index == STATUS_INDEX ? Words.name(status()).getBytes(StandardCharsets.UTF_8) : text(ordinal(index));
    }

    @Override
    public byte[][] pairs(int index) {
        throw new IllegalArgumentException("no pairs have the index " + index);
    }
}
