package io.despina.asking;

import java.util.Arrays;

/** Cuts bytes that come part by part into lines. Of a line that is too long it keeps the beginning. */
final class LineSplitter {
    private static final int FIRST_BYTES = 1 << 10;

    private final int most;
    private final boolean events;
    private byte[] line = new byte[FIRST_BYTES];
    private int length;
    /** Whether the line has more than is kept. */
    private boolean over;
    private boolean afterReturn;

    /** Takes a line, whose bytes are valid during the call. */
    interface LineTaker {
        void line(byte[] bytes, int length);
    }

    /**
     * @param most   bytes that are kept of a line: one more shows that it was longer
     * @param events whether CR alone ends a line too, as in server-sent events
     */
    LineSplitter(int most, boolean events) {
        this.most = most;
        this.events = events;
    }

    void add(byte[] part, LineTaker taker) {
        for (byte each : part) {
            if (each == '\n') {
                if (!(events && afterReturn)) {
                    end(taker);
                }
            } else if (each == '\r' && events) {
                end(taker);
            } else {
                keep(each);
            }
            afterReturn = each == '\r';
        }
    }

    private void keep(byte next) {
        if (length > most) {
            over = true;
            return;
        }
        if (length == line.length) {
            line = Arrays.copyOf(line, (int) Math.min(2L * length, most + 1L));
        }
        line[length] = next;
        length++;
    }

    private void end(LineTaker taker) {
        boolean returned = !events && !over && length > 0 && line[length - 1] == '\r';
        taker.line(line, returned ? length - 1 : length);
        length = 0;
        over = false;
        if (line.length > FIRST_BYTES) {
            line = new byte[FIRST_BYTES];
        }
    }

    /** No more comes. @param whole whether a line that has no end is one all the same */
    void end(boolean whole, LineTaker taker) {
        if (whole && length > 0) {
            end(taker);
        }
        length = 0;
        over = false;
        afterReturn = false;
    }
}
