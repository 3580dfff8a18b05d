package io.despina.compare.manufacturing;

import io.despina.compare.Feeder;
import io.despina.compare.Pace;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.LocalDate;

/**
 * Reads DEBS 2012 text: 56 cells to a line, separated by TABs; time stamp, index, ten readings, six states, the rest. Only what
 * the job needs is parsed, straight from bytes. A mark of progress follows every 256th reading, and one ends it.
 */
final class ReadingFile implements Feeder {
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int COLUMNS = 56;
    private static final int FIRST_STATE = 12;
    private static final int MARK_EVERY = 256;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int MINUTES_PER_HOUR = 60;
    private static final long SECONDS_PER_DAY = 86_400;
    private static final int DATE_CHARS = 10;
    private static final int FRACTION_DIGITS = 6;

    private final InputStream file;
    private final Pace pace;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final int[] states = new int[Records.STATES];
    private int at;
    private int end;
    private long readings;
    private long lastMicros;
    private boolean markDue;
    private boolean done;
    /** The date read last, as its ten bytes packed, and its days since 1970. */
    private long dateKey;
    private long dateDays;

    /** @param pace when each reading is due */
    ReadingFile(String path, Pace pace) {
        this.pace = pace;
        try {
            file = new FileInputStream(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public byte[] next() {
        if (markDue) {
            markDue = false;
            return Records.mark(lastMicros);
        }
        if (done || pace.take() == Pace.NOT_YET) {
            return null;
        }
        int lineEnd = lineEnd();
        if (lineEnd < 0) {
            done = true;
            return Records.mark(Records.END);
        }
        byte[] reading = parse(at, lineEnd);
        at = lineEnd + 1;
        readings++;
        markDue = readings % MARK_EVERY == 0;
        return reading;
    }

    @Override
    public long waitNanos() {
        return pace.waitNanos();
    }

    /** Where the line that begins at {@link #at} ends, read in as far as need be; below 0 if there is none. */
    private int lineEnd() {
        int look = at;
        while (true) {
            for (; look < end; look++) {
                if (buffer[look] == '\n') {
                    return look;
                }
            }
            int kept = end - at;
            System.arraycopy(buffer, at, buffer, 0, kept);
            at = 0;
            look = kept;
            end = kept;
            try {
                int got = file.read(buffer, end, buffer.length - end);
                if (got <= 0) {
                    file.close();
                    return -1;
                }
                end += got;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private byte[] parse(int begin, int lineEnd) {
        int cell = begin;
        long index = 0;
        int nulls = 0;
        int column = 0;
        for (int k = begin; k <= lineEnd; k++) {
            if (k < lineEnd && buffer[k] != '\t') {
                continue;
            }
            if (column == 0) {
                lastMicros = micros(cell, k);
            } else if (column == 1) {
                index = number(cell, k);
            } else if (column >= FIRST_STATE && column < FIRST_STATE + Records.STATES) {
                int state = column - FIRST_STATE;
                if (k == cell) {
                    nulls |= 1 << state;
                } else {
                    states[state] = (int) number(cell, k);
                }
            }
            column++;
            cell = k + 1;
        }
        if (column != COLUMNS) {
            throw new IllegalStateException(column + " columns in reading " + readings);
        }
        return Records.reading(lastMicros, index, nulls, states);
    }

    private long number(int from, int to) {
        boolean negative = buffer[from] == '-';
        long value = 0;
        for (int k = negative ? from + 1 : from; k < to; k++) {
            int digit = buffer[k] - '0';
            if (digit < 0 || digit > 9) {
                throw new IllegalStateException("no number in reading " + readings);
            }
            value = value * 10 + digit;
        }
        return negative ? -value : value;
    }

    /** {@code 2012-02-22T16:46:28.9670320+00:00}; what follows the sixth digit of the fraction is cut. */
    private long micros(int from, int to) {
        int clock = from + DATE_CHARS + 1;
        long seconds = days(from) * SECONDS_PER_DAY
                + (number(clock, clock + 2) * MINUTES_PER_HOUR + number(clock + 3, clock + 5)) * SECONDS_PER_MINUTE
                + number(clock + 6, clock + 8);
        int k = clock + 8;
        long fraction = 0;
        int digits = 0;
        if (buffer[k] == '.') {
            for (k++; k < to && buffer[k] >= '0' && buffer[k] <= '9'; k++) {
                if (digits < FRACTION_DIGITS) {
                    fraction = fraction * 10 + buffer[k] - '0';
                    digits++;
                }
            }
        }
        for (; digits < FRACTION_DIGITS; digits++) {
            fraction *= 10;
        }
        if (buffer[k] != 'Z') {
            long offset = (number(k + 1, k + 3) * MINUTES_PER_HOUR + number(k + 4, k + 6)) * SECONDS_PER_MINUTE;
            seconds -= buffer[k] == '-' ? -offset : offset;
        }
        return seconds * MICROS_PER_SECOND + fraction;
    }

    private long days(int from) {
        long key = 0;
        for (int k = 0; k < DATE_CHARS; k++) {
            key = key * 31 + buffer[from + k];
        }
        if (key != dateKey) {
            dateKey = key;
            dateDays = LocalDate.of((int) number(from, from + 4), (int) number(from + 5, from + 7),
                    (int) number(from + 8, from + 10)).toEpochDay();
        }
        return dateDays;
    }
}
