package io.despina.operator.record.csv;

import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.EightBytes;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Reads a CSV line from bytes straight into a packet, without allocating. It knows the common types and their plain forms. For
 * any other line it writes nothing and returns {@link LineResult#UNSURE}, and Spark's parser decides.
 */
public final class CsvReader {

    /** The outcome of reading a line. */
    public enum LineResult {
        WRITTEN,
        /** The line has another number of columns than expected: {@link CsvReader#found}. */
        WRONG_COLUMNS,
        /** Spark's parser must read the line. */
        UNSURE,
        /** The hook refused the packet for now. */
        HELD
    }

    /** Called with a packet's event time before the packet is written. */
    public interface BeforePacket {

        /** @return whether to write it now */
        boolean before(long micros);
    }

    private static final int BOOLEAN = 0;
    private static final int INTEGER = 1;
    private static final int FLOAT = 2;
    private static final int DOUBLE = 3;
    private static final int DECIMAL = 4;
    private static final int DATE = 5;
    private static final int TIMESTAMP = 6;
    private static final int TIMESTAMP_NTZ = 7;
    private static final int STRING = 8;
    private static final int UNKNOWN = -1;

    private final CsvDialect dialect;
    private final CsvDialect.Marks marks;
    private final CellParser cells;
    private final byte separator;
    /** Eight separators, and eight quotes. */
    private final long separators;
    private final long quotes;
    private final int wanted;
    private final boolean moreAllowed;
    private final int eventTime;
    private final int size;
    /** The cell of each column; null if the columns are the first cells, in order. */
    private final int[] places;

    private final int[] read;
    private final int[] kind;
    private final int[] width;
    private final boolean[] nullable;
    private final long[] least;
    private final long[] most;
    private final int[] precision;
    private final int[] scale;

    /** The first cells of the current line. Without places, the same arrays as {@link #from} and {@link #to}. */
    private final int[] cellFrom;
    private final int[] cellTo;
    /** The current line's cells, by column. */
    private final int[] from;
    private final int[] to;
    private final boolean[] isNull;
    private final long[] values;
    private int columns;
    /** Whether the last line with another number of columns has one more, an empty one. */
    private boolean endsEmpty;

    /**
     * The cells of a line. With places, a line may have one empty cell more: it ends with a separator.
     *
     * @param count  the number of cells in every line
     * @param orMore whether a line may have more
     * @param places the cell of each column; null if the columns are the first cells, in order
     */
    public record Cells(int count, boolean orMore, int[] places) {
    }

    /**
     * The columns to fill.
     *
     * @param eventTime ordinal of the event time's column, or -1
     * @param unread    ordinals of columns to leave NULL
     */
    public record Columns(Schema schema, int eventTime, Set<Integer> unread) {
    }

    public CsvReader(CsvDialect dialect, Cells line, Columns columns) {
        this.dialect = dialect;
        marks = dialect.marks();
        wanted = line.count;
        moreAllowed = line.orMore;
        places = line.places;
        eventTime = columns.eventTime;
        Schema schema = columns.schema;
        cells = new CellParser(dialect.zone());
        separator = (byte) marks.separator();
        separators = EightBytes.of(separator);
        quotes = EightBytes.of(marks.quote());
        size = schema.size();
        kind = new int[size];
        width = new int[size];
        nullable = new boolean[size];
        least = new long[size];
        most = new long[size];
        precision = new int[size];
        scale = new int[size];
        from = new int[size];
        to = new int[size];
        int split = places == null ? size : 1 + Arrays.stream(places).max().orElse(0);
        cellFrom = places == null ? from : new int[split];
        cellTo = places == null ? to : new int[split];
        isNull = new boolean[size];
        values = new long[size];
        for (int k = 0; k < size; k++) {
            declare(k, schema.column(k));
        }
        read = IntStream.range(0, size).filter(k -> !nullable[k] || k == eventTime || !columns.unread.contains(k)).toArray();
        Arrays.fill(isNull, true);      // columns that are not read stay so
    }

    /** Whether this reader knows the dialect and all types of the schema. */
    public boolean canRead() {
        return dialect.plain() && Arrays.stream(kind).noneMatch(k -> k == UNKNOWN);
    }

    private void declare(int k, Column column) {
        Type type = column.type();
        nullable[k] = column.nullable();
        width[k] = type.width();
        kind[k] = UNKNOWN;
        if (type instanceof Type.Decimal decimal && width[k] != Type.VARIABLE) {
            kind[k] = DECIMAL;
            precision[k] = decimal.precision();
            scale[k] = decimal.scale();
        } else if (type instanceof Type.Simple simple) {
            kind[k] = switch (simple) {
                case BOOLEAN -> BOOLEAN;
                case TINYINT, SMALLINT, INT, BIGINT -> INTEGER;
                case FLOAT -> FLOAT;
                case DOUBLE -> DOUBLE;
                case DATE -> DATE;
                case TIMESTAMP -> TIMESTAMP;
                case TIMESTAMP_NTZ -> TIMESTAMP_NTZ;
                case STRING -> STRING;
                default -> UNKNOWN;
            };
            int bits = kind[k] == INTEGER ? Byte.SIZE * width[k] : Long.SIZE;
            most[k] = Long.MAX_VALUE >> (Long.SIZE - bits);
            least[k] = -most[k] - 1;
        }
    }

    public int wanted() {
        return wanted;
    }

    /** After {@link LineResult#WRONG_COLUMNS}: how many columns the line has. */
    public int found() {
        return columns;
    }

    /** After {@link LineResult#WRONG_COLUMNS}: whether the line would have the right number without a separator at its end. */
    public boolean endsEmpty() {
        return endsEmpty;
    }

    /**
     * Reads one line, given without its line end. The caller has skipped blank lines and comments.
     *
     * @param hook null if no one needs event times
     */
    public LineResult read(byte[] bytes, int start, int end, PacketWriter out, BeforePacket hook) {
        int rest = split(bytes, start, end);
        if (rest == UNSURE_HERE) {
            return LineResult.UNSURE;
        }
        if (columns != wanted && !(moreAllowed && columns > wanted)) {
            endsEmpty = columns == wanted + 1 && bytes[end - 1] == separator;
            if (!endsEmpty || places == null) {
                return LineResult.WRONG_COLUMNS;
            }
        }
        if (places != null) {
            for (int k = 0; k < size; k++) {
                from[k] = cellFrom[places[k]];
                to[k] = cellTo[places[k]];
            }
        }
        for (int k : read) {
            if (!parse(bytes, k)) {
                return LineResult.UNSURE;
            }
        }
        if (hook != null && !isNull[eventTime] && !hook.before(values[eventTime])) {
            return LineResult.HELD;
        }
        write(bytes, out);
        return LineResult.WRITTEN;
    }

    private static final int UNSURE_HERE = -1;

    /** Finds the first cells, as many as columns need, and counts all cells. */
    private int split(byte[] bytes, int start, int end) {
        int at = start;
        int quote = marks.quote();
        for (int k = 0; k < cellFrom.length; k++) {
            int cell = at;
            if (at < end && bytes[at] == 0) {
                return UNSURE_HERE;
            }
            if (at < end && bytes[at] == quote) {
                at = closingQuote(bytes, at + 1, end);
                if (at < 0) {
                    return UNSURE_HERE;
                }
                cellFrom[k] = cell + 1;
                cellTo[k] = at - 1;
            } else {
                while (at < end && bytes[at] != separator) {
                    at++;
                }
                cellFrom[k] = cell;
                cellTo[k] = at;
            }
            if (at == end) {
                columns = k + 1;
                return end;
            }
            at++;
        }
        return countRest(bytes, at, end);
    }

    /** The position after the closing quote of a simple quoted cell (not empty, nothing to unescape); or -1. */
    private int closingQuote(byte[] bytes, int inside, int end) {
        int at = inside;
        while (at < end && bytes[at] != marks.quote()) {
            if (bytes[at] == marks.escape() || bytes[at] == 0) {
                return UNSURE_HERE;
            }
            at++;
        }
        boolean closed = at > inside && at < end && (at + 1 == end || bytes[at + 1] == separator);
        return closed ? at + 1 : UNSURE_HERE;
    }

    /** Counts the separators after these cells. A quote among them makes the line unsure. */
    private int countRest(byte[] bytes, int start, int end) {
        int count = 0;
        long quoted = 0;
        int at = start;
        for (int last = end - Long.BYTES; at <= last; at += Long.BYTES) {
            long eight = Bytes.getLong(bytes, at);
            count += EightBytes.count(eight, separators);
            quoted |= EightBytes.matches(eight, quotes);
        }
        if (at < end) {
            // the missing bytes are neither separators nor quotes
            long rest = Bytes.getLast(bytes, end, end - at) | -1L << Byte.SIZE * (end - at);
            count += EightBytes.count(rest, separators);
            quoted |= EightBytes.matches(rest, quotes);
        }
        columns = cellFrom.length + 1 + count;
        return quoted == 0 ? end : UNSURE_HERE;
    }

    private boolean parse(byte[] bytes, int k) {
        int start = from[k];
        int end = to[k];
        if (start == end || isNullValue(bytes, start, end)) {
            isNull[k] = true;
            return nullable[k];
        }
        isNull[k] = false;
        boolean sure = switch (kind[k]) {
            case INTEGER -> cells.integer(bytes, start, end, least[k], most[k]);
            case TIMESTAMP -> cells.timestamp(bytes, start, end, true);
            case STRING -> Utf8.isValid(bytes, start, end);
            case DOUBLE -> cells.doubleBits(bytes, start, end);
            case FLOAT -> cells.floatBits(bytes, start, end);
            case DECIMAL -> cells.decimal(bytes, start, end, precision[k], scale[k]);
            case DATE -> cells.date(bytes, start, end);
            case TIMESTAMP_NTZ -> cells.timestamp(bytes, start, end, false);
            default -> cells.bool(bytes, start, end);
        };
        values[k] = cells.value();
        return sure;
    }

    private boolean isNullValue(byte[] bytes, int start, int end) {
        byte[] text = dialect.nullValue();
        return end - start == text.length && Arrays.equals(bytes, start, end, text, 0, text.length);
    }

    private void write(byte[] bytes, PacketWriter out) {
        out.begin();
        for (int k = 0; k < size; k++) {
            if (isNull[k]) {
                out.setNull(k);
                continue;
            }
            switch (width[k]) {
                case Long.BYTES -> out.setLong(k, values[k]);
                case Integer.BYTES -> out.setInt(k, (int) values[k]);
                case Short.BYTES -> out.setShort(k, (short) values[k]);
                case Byte.BYTES -> out.setByte(k, (byte) values[k]);
                default -> out.setBytes(k, bytes, from[k], to[k] - from[k]);
            }
        }
        out.commit();
    }
}
