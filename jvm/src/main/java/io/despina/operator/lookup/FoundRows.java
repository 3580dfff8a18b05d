package io.despina.operator.lookup;

import io.despina.packet.Packet;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.util.Arrays;

/** The rows of a table for one key: packets, one behind the other. */
public final class FoundRows {
    private static final byte[] NOTHING = {};
    public static final FoundRows NONE = new FoundRows();
    private static final int HEADER_BYTES = 40;

    /** Their size in memory. They are read anew after a restart, so no snapshot holds them. */
    static final class Sizes implements ValueFormat<FoundRows> {
        @Override
        public String schema() {
            return "rows";
        }

        @Override
        public void write(FoundRows value, DataOutput out) {
            throw new UnsupportedOperationException("no snapshot holds a table");
        }

        @Override
        public FoundRows read(DataInput in) {
            throw new UnsupportedOperationException("no snapshot holds a table");
        }

        @Override
        public long bytes(FoundRows value) {
            return value.held();
        }
    }

    private byte[] bytes = NOTHING;
    private int end;
    private int count;

    /** Adds a copy of {@code packet}. */
    public void add(Packet packet) {
        int size = packet.size();
        if (size > bytes.length - end) {
            bytes = Arrays.copyOf(bytes, Math.addExact(end, Math.max(size, end)));
        }
        System.arraycopy(packet.bytes(), packet.start(), bytes, end, size);
        end += size;
        count++;
    }

    /** Adds copies of other rows. */
    void addAll(FoundRows others) {
        if (others.end > bytes.length - end) {
            bytes = Arrays.copyOf(bytes, Math.addExact(end, Math.max(others.end, end)));
        }
        System.arraycopy(others.bytes, 0, bytes, end, others.end);
        end += others.end;
        count += others.count;
    }

    void clear() {
        end = 0;
        count = 0;
    }

    int count() {
        return count;
    }

    boolean isEmpty() {
        return end == 0;
    }

    /** Whether there is a row at {@code at}. */
    boolean has(int at) {
        return at < end;
    }

    /**
     * Moves {@code into} to the row at {@code at}, 0 for the first.
     *
     * @return where the next row begins
     */
    int row(int at, Packet into) {
        return into.wrap(bytes, at, end);
    }

    public long held() {
        return HEADER_BYTES + bytes.length;
    }
}
