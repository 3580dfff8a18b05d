package io.despina.operator.record;

import io.despina.operator.record.csv.CellParser;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Arrays;

/**
 * Reads a line of InfluxDB's line protocol into a packet. Tags and fields go to the columns of their names, others are passed
 * over; a column that the line does not have is NULL. It allocates nothing for a line that is one.
 */
final class InfluxReader {
    /** Of {@link #read}: nobody knows when the line came. */
    public static final long UNKNOWN = Long.MIN_VALUE;
    private static final int NONE = -1;
    /** What a backslash stands before, in the name of a measurement, and in tags and names of fields. */
    private static final String OF_MEASUREMENT = ", ";
    private static final String OF_TAG = ",= ";
    private static final String OF_TEXT = "\"\\";

    /** A line that is none. Nobody asks for its stack. */
    private static final class BrokenLine extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BrokenLine(String why) {
            super(why, null, false, false);
        }
    }

    private final InfluxOptions options;
    /** Null for any. */
    private final byte[] measurement;
    private final InfluxValues values;
    private final byte[][] names;
    /** The column of the n-th tag or field of the line before, as most lines are alike. */
    private int[] usual = new int[16];
    private byte[] line;
    private int at;
    private int end;
    /** Of the part that was scanned last: where it begins and ends, in {@link #part}, and whether there were escapes in it. */
    private byte[] part;
    private int from;
    private int to;
    private byte[] plain = new byte[64];

    public InfluxReader(InfluxOptions options, Schema schema) {
        this.options = options;
        measurement = options.measurement() == null ? null : options.measurement().getBytes(StandardCharsets.UTF_8);
        values = new InfluxValues(schema, new CellParser(ZoneOffset.UTC));
        names = new byte[schema.size()][];
        for (int k = 0; k < names.length; k++) {
            boolean ofItsOwn = k == options.time() || k == options.name();
            names[k] = ofItsOwn ? new byte[0] : schema.column(k).name().getBytes(StandardCharsets.UTF_8);
        }
    }

    /**
     * Reads a line, without its end. A blank line and a comment give no packet.
     *
     * @param arrived when it came, in microseconds since 1970, for a line without a time; or {@link #UNKNOWN}
     * @return why it is none; null if all is well
     */
    public String read(byte[] bytes, int start, int stop, long arrived, PacketWriter out) {
        line = bytes;
        at = start;
        end = stop;
        while (at < end && (line[at] == ' ' || line[at] == '\t')) {
            at++;
        }
        while (end > at && (line[end - 1] == ' ' || line[end - 1] == '\r')) {
            end--;
        }
        if (at == end || line[at] == '#') {
            return null;
        }
        try {
            values.begin();
            measurement();
            int count = tags();
            fields(count);
            time(arrived);
        } catch (BrokenLine | InfluxValues.UnfitValue why) {
            return why.getMessage();
        }
        values.write(out);
        return null;
    }

    private void measurement() {
        scan(OF_MEASUREMENT, ',', ' ', ' ');
        if (from == to) {
            throw new BrokenLine("no measurement before " + (at < end ? "`" + (char) line[at] + "`" : "the end"));
        }
        if (options.name() != NONE) {
            values.tag(options.name(), part, from, to, part == line);
        } else if (measurement != null && !Arrays.equals(part, from, to, measurement, 0, measurement.length)) {
            throw new BrokenLine("measurement `" + text() + "`, and the option `measurement` says `" + options.measurement()
                    + "`");
        }
    }

    /** @return how many there are */
    private int tags() {
        int count = 0;
        while (at < end && line[at] == ',') {
            at++;
            scan(OF_TAG, '=', ' ', ',');
            int column = key(count, "tag");
            scan(OF_TAG, ',', ' ', '=');
            if (from == to || at < end && line[at] == '=') {
                throw new BrokenLine(from == to ? "a tag without a value" : "a tag with two values");
            }
            if (column != NONE) {
                values.tag(column, part, from, to, part == line);
            }
            count++;
        }
        return count;
    }

    private void fields(int tags) {
        blanks();
        int count = tags;
        do {
            if (count > tags) {
                at++;
            }
            scan(OF_TAG, '=', ' ', ',');
            int column = key(count, "field");
            if (at < end && line[at] == '"') {
                quoted();
                if (column != NONE) {
                    values.string(column, part, from, to, part == line);
                }
            } else {
                from = at;
                while (at < end && line[at] != ',' && line[at] != ' ') {
                    at++;
                }
                values.literal(column, line, from, at);
            }
            count++;
        } while (at < end && line[at] == ',');
    }

    private void time(long arrived) {
        int column = options.time();
        blanks();
        if (at < end) {
            values.time(column, line, at, end, options.precision());
        } else if (column != NONE) {
            if (arrived == UNKNOWN) {
                throw new BrokenLine("no time, and nobody knows when the line came");
            }
            values.time(column, arrived);
        }
    }

    private void blanks() {
        if (at < end && line[at] != ' ') {
            throw new BrokenLine("`" + (char) line[at] + "` where a blank should be, at byte " + (at + 1));
        }
        while (at < end && line[at] == ' ') {
            at++;
        }
    }

    /** The column that the part names which was scanned last, and goes behind the equals sign. */
    private int key(int count, String of) {
        if (from == to) {
            throw new BrokenLine("a " + of + " without a name, at byte " + (at + 1));
        }
        if (at == end || line[at] != '=') {
            throw new BrokenLine(of + " `" + text() + "` has no value");
        }
        at++;
        if (count == usual.length) {
            usual = Arrays.copyOf(usual, 2 * count);
        }
        int guess = usual[count];
        if (guess == NONE || guess >= names.length || !isNamed(guess)) {
            guess = NONE;
            for (int k = 0; k < names.length && guess == NONE; k++) {
                guess = isNamed(k) ? k : NONE;
            }
            usual[count] = guess;
        }
        return guess;
    }

    private boolean isNamed(int column) {
        byte[] name = names[column];
        return name.length == to - from && Arrays.equals(part, from, to, name, 0, name.length);
    }

    /** Goes to the first of these bytes that no backslash stands before, or to the end. What is passed is the part. */
    private void scan(String escaped, char one, char other, char third) {
        part = line;
        from = at;
        while (at < end && line[at] != one && line[at] != other && line[at] != third) {
            if (line[at] == '\\' && at + 1 < end && escaped.indexOf(line[at + 1]) >= 0) {
                unescape(escaped, one, other, third);
                return;
            }
            at++;
        }
        to = at;
    }

    private void unescape(String escaped, char one, char other, char third) {
        int size = copy(0, from, at);
        while (at < end && line[at] != one && line[at] != other && line[at] != third) {
            boolean isEscape = line[at] == '\\' && at + 1 < end && escaped.indexOf(line[at + 1]) >= 0;
            at += isEscape ? 1 : 0;
            size = copy(size, at, at + 1);
            at++;
        }
        part = plain;
        from = 0;
        to = size;
    }

    /** A text in quotes: goes behind the last. */
    private void quoted() {
        at++;
        part = line;
        from = at;
        int size = 0;
        while (at < end && line[at] != '"') {
            if (line[at] == '\\' && at + 1 < end && OF_TEXT.indexOf(line[at + 1]) >= 0) {
                size = part == line ? copy(0, from, at) : size;
                part = plain;
                at++;
            }
            if (part == plain) {
                size = copy(size, at, at + 1);
                part = plain;
            }
            at++;
        }
        if (at == end) {
            throw new BrokenLine("a text without a closing quote; one that goes over several lines is not read");
        }
        to = part == line ? at : size;
        from = part == line ? from : 0;
        at++;
    }

    private int copy(int size, int first, int last) {
        int more = last - first;
        if (size + more > plain.length) {
            plain = Arrays.copyOf(plain, 2 * (size + more));
        }
        System.arraycopy(line, first, plain, size, more);
        return size + more;
    }

    private String text() {
        return new String(part, from, to - from, StandardCharsets.UTF_8);
    }
}
