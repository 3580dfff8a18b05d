package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** One group of a window that fires more than once. */
final class FiredGroup {
    private static final int OBJECT_BYTES = 40;

    private final Accumulator accumulator;
    private long rows;
    private boolean changed;

    FiredGroup(Accumulator accumulator) {
        this.accumulator = accumulator;
    }

    /** What becomes of two when they are one; it has given as many rows as the one that has given more. */
    FiredGroup joined(FiredGroup other, Accumulator both) {
        FiredGroup joined = new FiredGroup(both);
        joined.rows = Math.max(rows, other.rows);
        return joined;
    }

    Accumulator accumulator() {
        return accumulator;
    }

    void change() {
        changed = true;
    }

    /** Whether it has changed since its last row. */
    boolean hasChanged() {
        return changed;
    }

    /** A row leaves. @return its number, from 0 */
    long leave() {
        changed = false;
        return rows++;
    }

    record Format(Aggregation aggregation) implements ValueFormat<FiredGroup> {
        @Override
        public String schema() {
            return "rows and accumulator" + aggregation.schema();
        }

        @Override
        public void write(FiredGroup value, DataOutput out) throws IOException {
            out.writeLong(value.rows);
            out.writeBoolean(value.changed);
            aggregation.write(value.accumulator, out);
        }

        @Override
        public FiredGroup read(DataInput in) throws IOException {
            long rows = in.readLong();
            boolean changed = in.readBoolean();
            FiredGroup group = new FiredGroup(aggregation.read(in));
            group.rows = rows;
            group.changed = changed;
            return group;
        }

        @Override
        public long bytes(FiredGroup value) {
            return OBJECT_BYTES + value.accumulator.bytes();
        }
    }
}
