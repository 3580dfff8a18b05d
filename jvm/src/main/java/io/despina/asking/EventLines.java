package io.despina.asking;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Makes events of the lines of a stream (the HTML standard, 9.2.6). */
final class EventLines {
    private static final int FIRST_BYTES = 1 << 10;
    private static final int MOST_RETRY_DIGITS = 9;

    private final int most;
    /** Of the event so far: its lines of data, each with LF behind it. */
    private byte[] data = new byte[FIRST_BYTES];
    private int length;
    /** Whether it has more than is kept. */
    private boolean over;
    private String event;
    private boolean named;
    /** Of the last event that had one; stays when the connection breaks. */
    private String id;
    /** How long the server wants us to wait before we connect again; -1 if it has not said so. */
    private long retryMillis = -1;
    private boolean first = true;

    /** Takes an event, whose bytes are valid during the call. */
    interface EventTaker {
        void event(byte[] data, int length, FoundRecord.Beside beside);
    }

    /** @param most bytes that are kept of an event's data: one more shows that it was longer */
    EventLines(int most) {
        this.most = most;
    }

    long retryMillis() {
        return retryMillis;
    }

    /** A connection begins: an event that had begun before is none. @param last the id of the event that was given last */
    void begin(String last) {
        first = true;
        id = last;
        clear();
    }

    private void clear() {
        data = data.length > FIRST_BYTES ? new byte[FIRST_BYTES] : data;
        length = 0;
        over = false;
        event = null;
        named = false;
    }

    void line(byte[] bytes, int end, EventTaker taker) {
        boolean marked = first && end >= 3 && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB && bytes[2] == (byte) 0xBF;
        int from = marked ? 3 : 0;
        first = false;
        if (end == from) {
            if (length > 0) {
                taker.event(data, over ? length : length - 1, new FoundRecord.Beside(null, id, event, named));
            }
            clear();
            return;
        }
        int colon = from;
        while (colon < end && bytes[colon] != ':') {
            colon++;
        }
        boolean cut = end > most;       // the line was longer: its text is not all there
        int value = Math.min(end, colon + (colon + 1 < end && bytes[colon + 1] == ' ' ? 2 : 1));
        switch (text(bytes, from, colon)) {
            case "data" -> add(bytes, value, end);
            case "event" -> event = value == end ? null : text(bytes, value, end);
            case "id" -> {
                String given = text(bytes, value, end);
                if (given.indexOf('\0') < 0 && StreamProgress.isKept(given) && !cut) {
                    id = given.isEmpty() ? null : given;
                    named = id != null;
                }
            }
            case "retry" -> {
                String millis = text(bytes, value, end);
                if (millis.matches("\\d{1," + MOST_RETRY_DIGITS + "}")) {
                    retryMillis = Long.parseLong(millis);
                }
            }
            default -> {
                // a comment keeps the connection alive; other fields mean nothing
            }
        }
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    private void add(byte[] bytes, int from, int to) {
        int more = Math.min(to - from, most + 1 - length);
        if (length + more + 1 > data.length) {
            data = Arrays.copyOf(data, Math.max(Math.min(2 * data.length, most + 2), length + more + 1));
        }
        System.arraycopy(bytes, from, data, length, more);
        length += more;
        if (length > most) {
            over = true;
        } else {
            data[length] = '\n';
            length++;
        }
    }
}
