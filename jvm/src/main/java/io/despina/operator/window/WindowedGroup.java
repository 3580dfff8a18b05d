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

/**
 * What a group has of its open windows: an accumulator for each, or for each pane, in the order of their starts. Most packets
 * belong to the last, which lies here; arrays have those before it.
 */
final class WindowedGroup {
    private static final int OBJECT_BYTES = 96;
    private static final long[] NO_NUMBERS = {};
    private static final Accumulator[] NO_ACCUMULATORS = {};

    /** Its key's. */
    DueClock clock;
    /** The least end of a window that has a packet and has not fired. */
    long firstEnd = NEVER;
    private long lastStart;
    /** Null if there is no window. */
    private Accumulator last;
    /** The packets of each that are in no later window. No part of a snapshot. */
    private long lastPackets;
    private long[] starts = NO_NUMBERS;
    private Accumulator[] accumulators = NO_ACCUMULATORS;
    private long[] packets = NO_NUMBERS;
    /** How many there are before the last. */
    private int before;

    WindowedGroup(DueClock clock) {
        this.clock = clock;
    }

    int size() {
        return last == null ? 0 : before + 1;
    }

    /** The start of the k-th. */
    long start(int k) {
        return k == before ? lastStart : starts[k];
    }

    Accumulator accumulator(int k) {
        return k == before ? last : accumulators[k];
    }

    /** A packet was added to the window or pane that starts there, and to no later window. */
    void took(long start) {
        if (start == lastStart) {
            lastPackets++;
        } else {
            packets[find(start)]++;
        }
    }

    /** The accumulator of the window or pane that starts there; null if there is none. */
    Accumulator at(long start) {
        if (start == lastStart) {
            return last;
        }
        int k = find(start);
        return k < 0 ? null : accumulators[k];
    }

    /** Its place among those before the last; -1 if it is not there. */
    private int find(long start) {
        int k = before - 1;
        while (k >= 0 && starts[k] > start) {
            k--;
        }
        return k >= 0 && starts[k] == start ? k : -1;
    }

    /** Adds a window or pane that is not there. */
    void add(long start, Accumulator accumulator) {
        if (last == null || start > lastStart) {
            if (last != null) {
                put(lastStart, last, lastPackets);
            }
            lastStart = start;
            last = accumulator;
            lastPackets = 0;
        } else {
            put(start, accumulator, 0);
        }
    }

    /** Puts one before the last. */
    private void put(long start, Accumulator accumulator, long has) {
        if (before == starts.length) {
            int most = Math.max(1, 2 * before);
            starts = Arrays.copyOf(starts, most);
            accumulators = Arrays.copyOf(accumulators, most);
            packets = Arrays.copyOf(packets, most);
        }
        int k = before++;
        for (; k > 0 && starts[k - 1] > start; k--) {
            starts[k] = starts[k - 1];
            accumulators[k] = accumulators[k - 1];
            packets[k] = packets[k - 1];
        }
        starts[k] = start;
        accumulators[k] = accumulator;
        packets[k] = has;
    }

    /** Drops what starts before that. */
    void dropBefore(long start) {
        int gone = 0;
        while (gone < before && starts[gone] < start) {
            gone++;
        }
        before -= gone;
        System.arraycopy(starts, gone, starts, 0, before);
        System.arraycopy(accumulators, gone, accumulators, 0, before);
        System.arraycopy(packets, gone, packets, 0, before);
        Arrays.fill(accumulators, before, before + gone, null);
        if (lastStart < start) {
            last = null;
        }
    }

    record Format(Aggregation aggregation) implements ValueFormat<WindowedGroup> {
        @Override
        public String schema() {
            return "windows of accumulator" + aggregation.schema();
        }

        @Override
        public void write(WindowedGroup value, DataOutput out) throws IOException {
            out.writeInt(value.size());
            for (int k = 0; k < value.size(); k++) {
                out.writeLong(value.start(k));
                aggregation.write(value.accumulator(k), out);
            }
        }

        @Override
        public WindowedGroup read(DataInput in) throws IOException {
            WindowedGroup group = new WindowedGroup(null);
            for (int left = in.readInt(); left > 0; left--) {
                long start = in.readLong();
                if (group.last != null && start <= group.lastStart) {
                    throw new SnapshotException("windows of a group are not in order");
                }
                group.add(start, aggregation.read(in));
                group.took(start);
            }
            return group;
        }

        @Override
        public Held held(WindowedGroup value) {
            long taken = value.last == null ? 0 : value.lastPackets;
            return new Held(taken + Arrays.stream(value.packets, 0, value.before).sum(), value.size());
        }

        @Override
        public long bytes(WindowedGroup value) {
            long bytes = OBJECT_BYTES + value.starts.length * 3L * Long.BYTES;
            for (int k = 0; k < value.size(); k++) {
                bytes += value.accumulator(k).bytes();
            }
            return bytes;
        }
    }
}
