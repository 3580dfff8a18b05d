package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.order.DueClock;
import io.despina.state.Held;
import io.despina.state.SnapshotException;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** The open windows of one group in {@link KeyedTop}, in the order of their starts. */
final class TopGroup {
    private static final int OBJECT_BYTES = 64;
    private static final int FIRST = 2;

    /** Its key's. */
    DueClock clock;
    private long[] starts = new long[FIRST];
    private TopRows[] rows = new TopRows[FIRST];
    private int size;

    TopGroup(DueClock clock) {
        this.clock = clock;
    }

    /** When the first window ends, of windows of that size. */
    long firstEnd(long windowSize) {
        return size == 0 ? NEVER : starts[0] + windowSize;
    }

    /** The start of the first window. */
    long firstStart() {
        return starts[0];
    }

    /** The packets of the first window. */
    TopRows first() {
        return rows[0];
    }

    /** The packets of a window, which begins if it is not there. Packets mostly belong to the last. */
    TopRows at(long start) {
        int k = size;
        while (k > 0 && starts[k - 1] > start) {
            k--;
        }
        if (k > 0 && starts[k - 1] == start) {
            return rows[k - 1];
        }
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
            rows = Arrays.copyOf(rows, 2 * size);
        }
        System.arraycopy(starts, k, starts, k + 1, size - k);
        System.arraycopy(rows, k, rows, k + 1, size - k);
        size++;
        starts[k] = start;
        rows[k] = new TopRows();
        return rows[k];
    }

    void removeFirst() {
        size--;
        System.arraycopy(starts, 1, starts, 0, size);
        System.arraycopy(rows, 1, rows, 0, size);
        rows[size] = null;
    }

    record Format(TopRows.RowsFormat rows) implements ValueFormat<TopGroup> {
        @Override
        public String schema() {
            return "windows of " + rows.schema();
        }

        @Override
        public void write(TopGroup value, DataOutput out) throws IOException {
            out.writeInt(value.size);
            for (int k = 0; k < value.size; k++) {
                out.writeLong(value.starts[k]);
                rows.write(value.rows[k], out);
            }
        }

        @Override
        public TopGroup read(DataInput in) throws IOException {
            TopGroup group = new TopGroup(null);
            for (int left = in.readInt(); left > 0; left--) {
                long start = in.readLong();
                if (group.size > 0 && start <= group.starts[group.size - 1]) {
                    throw new SnapshotException("windows of a group are not in order");
                }
                group.at(start);
                group.rows[group.size - 1] = rows.read(in);
            }
            if (group.size == 0) {
                throw new SnapshotException("a group has no window");
            }
            return group;
        }

        @Override
        public Held held(TopGroup value) {
            return new Held(Arrays.stream(value.rows, 0, value.size).mapToLong(each -> each.packets).sum(), value.size);
        }

        @Override
        public long bytes(TopGroup value) {
            long bytes = OBJECT_BYTES + value.starts.length * 2L * Long.BYTES;
            for (int k = 0; k < value.size; k++) {
                bytes += rows.bytes(value.rows[k]);
            }
            return bytes;
        }
    }
}
