package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.operator.order.DueClock;
import io.despina.state.Held;
import io.despina.state.SnapshotException;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** What a group has of its open windows: an accumulator for each, or for each pane, in the order of their starts. */
final class WindowedGroup {
    private static final int OBJECT_BYTES = 72;
    private static final int FIRST = 2;

    /** Its key's. */
    DueClock clock;
    /** The least end of a window that has a packet and has not fired. */
    long firstEnd = NEVER;
    private long[] starts = new long[FIRST];
    private Accumulator[] accumulators = new Accumulator[FIRST];
    /** The packets of each that are in no later window. No part of a snapshot. */
    private long[] packets = new long[FIRST];
    private int size;

    WindowedGroup(DueClock clock) {
        this.clock = clock;
    }

    int size() {
        return size;
    }

    /** The start of the k-th. */
    long start(int k) {
        return starts[k];
    }

    Accumulator accumulator(int k) {
        return accumulators[k];
    }

    /** A packet was added to the window or pane that starts there, and to no later window. */
    void took(long start) {
        int k = size - 1;
        while (starts[k] > start) {
            k--;
        }
        packets[k]++;
    }

    /** The accumulator of the window or pane that starts there; null if there is none. Packets mostly belong to the last. */
    Accumulator at(long start) {
        int k = size - 1;
        while (k >= 0 && starts[k] > start) {
            k--;
        }
        return k >= 0 && starts[k] == start ? accumulators[k] : null;
    }

    /** Adds a window or pane that is not there. */
    void add(long start, Accumulator accumulator) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
            accumulators = Arrays.copyOf(accumulators, 2 * size);
            packets = Arrays.copyOf(packets, 2 * size);
        }
        int k = size++;
        for (; k > 0 && starts[k - 1] > start; k--) {
            starts[k] = starts[k - 1];
            accumulators[k] = accumulators[k - 1];
            packets[k] = packets[k - 1];
        }
        starts[k] = start;
        accumulators[k] = accumulator;
        packets[k] = 0;
    }

    /** Drops what starts before that. */
    void dropBefore(long start) {
        int gone = 0;
        while (gone < size && starts[gone] < start) {
            gone++;
        }
        System.arraycopy(starts, gone, starts, 0, size - gone);
        System.arraycopy(accumulators, gone, accumulators, 0, size - gone);
        System.arraycopy(packets, gone, packets, 0, size - gone);
        Arrays.fill(accumulators, size - gone, size, null);
        size -= gone;
    }

    record Format(Aggregation aggregation) implements ValueFormat<WindowedGroup> {
        @Override
        public String schema() {
            return "windows of accumulator" + aggregation.schema();
        }

        @Override
        public void write(WindowedGroup value, DataOutput out) throws IOException {
            out.writeInt(value.size);
            for (int k = 0; k < value.size; k++) {
                out.writeLong(value.starts[k]);
                aggregation.write(value.accumulators[k], out);
            }
        }

        @Override
        public WindowedGroup read(DataInput in) throws IOException {
            WindowedGroup group = new WindowedGroup(null);
            for (int left = in.readInt(); left > 0; left--) {
                long start = in.readLong();
                if (group.size > 0 && start <= group.starts[group.size - 1]) {
                    throw new SnapshotException("windows of a group are not in order");
                }
                group.add(start, aggregation.read(in));
                group.took(start);
            }
            return group;
        }

        @Override
        public Held held(WindowedGroup value) {
            return new Held(Arrays.stream(value.packets, 0, value.size).sum(), value.size);
        }

        @Override
        public long bytes(WindowedGroup value) {
            long bytes = OBJECT_BYTES + value.starts.length * 3L * Long.BYTES;
            for (int k = 0; k < value.size; k++) {
                bytes += value.accumulators[k].bytes();
            }
            return bytes;
        }
    }
}
