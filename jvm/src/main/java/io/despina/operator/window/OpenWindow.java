package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** The one open window of a group, from its start, which mostly is its first packet, to the last packet so far. */
final class OpenWindow {
    private static final int OBJECT_BYTES = 40;

    private final Accumulator accumulator;
    private final long start;
    private long last;
    /** Part of a snapshot only where it is asked for. */
    private long packets;

    OpenWindow(Accumulator accumulator, long start) {
        this(accumulator, start, 1);
    }

    private OpenWindow(Accumulator accumulator, long start, long packets) {
        this.accumulator = accumulator;
        this.start = start;
        this.packets = packets;
        last = start;
    }

    /** One that has no packet yet. */
    static OpenWindow empty(Accumulator accumulator, long start) {
        return new OpenWindow(accumulator, start, 0);
    }

    Accumulator accumulator() {
        return accumulator;
    }

    /** Event time of its first packet, or of what opened it, in microseconds. */
    long start() {
        return start;
    }

    /** Event time of its last packet; its start if it has none. */
    long last() {
        return last;
    }

    /** How many packets it has. */
    long packets() {
        return packets;
    }

    /** Has taken one more packet. */
    void reaches(long time) {
        last = time;
        packets++;
    }

    /** Groups that have one window each. */
    abstract static class OfGroups implements OpenFiring.OpenGroups {
        private final KeyedTable<?> groups;

        OfGroups(KeyedTable<?> groups) {
            this.groups = groups;
        }

        @Override
        public final int limit() {
            return groups.limit();
        }

        @Override
        public final int windows(int entry) {
            return groups.get(entry) == null ? 0 : 1;
        }
    }

    /** @param counted whether it keeps how many packets a window has */
    record Format(Aggregation aggregation, boolean counted) implements ValueFormat<OpenWindow> {
        @Override
        public String schema() {
            return (counted ? "counted window" : "window") + " of accumulator" + aggregation.schema();
        }

        @Override
        public void write(OpenWindow value, DataOutput out) throws IOException {
            out.writeLong(value.start);
            out.writeLong(value.last);
            if (counted) {
                out.writeLong(value.packets);
            }
            aggregation.write(value.accumulator, out);
        }

        @Override
        public OpenWindow read(DataInput in) throws IOException {
            long start = in.readLong();
            long last = in.readLong();
            long packets = counted ? in.readLong() : 1;
            OpenWindow window = new OpenWindow(aggregation.read(in), start, packets);
            window.last = last;
            return window;
        }

        @Override
        public Held held(OpenWindow value) {
            return new Held(Math.max(1, value.packets), 1);     // of one without packets, what opened it
        }

        @Override
        public long bytes(OpenWindow value) {
            return OBJECT_BYTES + value.accumulator.bytes();
        }
    }
}
