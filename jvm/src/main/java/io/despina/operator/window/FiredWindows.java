package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.operator.order.DueClock;
import io.despina.state.Held;
import io.despina.state.SnapshotException;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The windows of one group that have not given their last rows, by their starts. */
final class FiredWindows {
    private static final int OBJECT_BYTES = 88;

    final List<Span> open = new ArrayList<>(1);
    /** When the group next gives a row; {@link Long#MAX_VALUE} if that is not known. No part of the state. */
    long due = Long.MAX_VALUE;
    /** When windows that have changed give a row before their ends, by the clock of a key. No part of the state. */
    long early = Long.MIN_VALUE;
    /** By which the group goes; null by common time. No part of the state. */
    DueClock clock;

    /** A window, from its first packet to its last one; of a tumbling or sliding window both are its start. */
    static final class Span {
        private static final int OBJECT_BYTES = 48;

        final FiredGroup group;
        long first;
        long last;
        /** Those that are in no later window. No part of a snapshot. */
        long packets;

        Span(FiredGroup group, long first, long last) {
            this.group = group;
            this.first = first;
            this.last = last;
        }

        void reaches(long time) {
            first = Math.min(first, time);
            last = Math.max(last, time);
        }
    }

    /** The index of the first window that starts at {@code start} or after it. Packets mostly belong to the last. */
    int firstFrom(long start) {
        int k = open.size();
        while (k > 0 && open.get(k - 1).first >= start) {
            k--;
        }
        return k;
    }

    record Format(Aggregation aggregation, FiredGroup.Format groups) implements ValueFormat<FiredWindows> {
        Format(Aggregation aggregation) {
            this(aggregation, new FiredGroup.Format(aggregation));
        }

        @Override
        public String schema() {
            return "sessions of " + groups.schema();
        }

        @Override
        public void write(FiredWindows value, DataOutput out) throws IOException {
            out.writeInt(value.open.size());
            for (Span window : value.open) {
                out.writeLong(window.first);
                out.writeLong(window.last);
                groups.write(window.group, out);
            }
        }

        @Override
        public FiredWindows read(DataInput in) throws IOException {
            int n = in.readInt();
            if (n < 1) {
                throw new SnapshotException("a group has " + n + " windows");
            }
            FiredWindows value = new FiredWindows();
            for (int k = 0; k < n; k++) {
                long first = in.readLong();
                long last = in.readLong();
                Span window = new Span(groups.read(in), first, last);
                window.packets = 1;
                value.open.add(window);
            }
            return value;
        }

        @Override
        public Held held(FiredWindows value) {
            return new Held(value.open.stream().mapToLong(each -> each.packets).sum(), value.open.size());
        }

        @Override
        public long bytes(FiredWindows value) {
            long bytes = OBJECT_BYTES;
            for (int k = 0; k < value.open.size(); k++) {
                bytes += Span.OBJECT_BYTES + groups.bytes(value.open.get(k).group);
            }
            return bytes;
        }
    }
}
